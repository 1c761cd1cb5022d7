"""Settings of Sphinx."""

from shrec_viewer import __version__

project = "SHREC Viewer"
author = "the SHREC Viewer developers"
copyright = author  # without a year: two builds give equal pages
version = release = __version__
extensions = ["myst_nb", "sphinx.ext.autodoc", "numpydoc"]
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 4
nb_execution_mode = "force"  # the notebooks are stored without results
nb_execution_raise_on_error = True
nb_execution_timeout = 300  # seconds for one cell
nb_output_stderr = "remove"  # warnings name temporary files, which differ between two builds
numpydoc_show_class_members = False
autodoc_member_order = "bysource"
html_theme = "furo"
html_title = f"{project} {release}"
html_show_sphinx = False
html_copy_source = False
nitpicky = False
