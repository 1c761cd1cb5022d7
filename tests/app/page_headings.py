"""Headings of a page of Markdown as it is shown."""


def headings_of(page):
    """Texts of the headings in order."""
    block, found = page.document().begin(), []
    while block.isValid():
        if block.blockFormat().headingLevel():
            found.append(block.text())
        block = block.next()
    return found
