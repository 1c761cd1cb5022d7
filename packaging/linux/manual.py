"""Man page and shell completions of the program, from the parser of its command line.

python packaging/linux/manual.py                    update packaging/shrec-viewer.1
python packaging/linux/manual.py completions FOLDER write bash, zsh and fish completions below FOLDER
"""

import re
import sys
from inspect import cleandoc
from pathlib import Path
from typing import Any

import click
from click.shell_completion import BashComplete, FishComplete, ZshComplete

from shrec_viewer import __version__
from shrec_viewer.cli.program import COMMANDS, INSTRUCTION, load_command, program

NAME = "shrec-viewer"

PAGE = Path(__file__).parents[1] / "shrec-viewer.1"

COMPLETIONS = {
    "bash": f"bash-completion/completions/{NAME}",
    "zsh": f"zsh/vendor-completions/_{NAME}",
    "fish": f"fish/vendor_completions.d/{NAME}.fish",
}
"""Files by shell, below ``/usr/share``; the shells load them by these names."""

SHELLS = {"bash": BashComplete, "zsh": ZshComplete, "fish": FishComplete}

SETTINGS: dict[str, Any] = {"help_option_names": program.context_settings["help_option_names"]}

SECTIONS = """.SH FILES
.TP
.I benchmark.toml
Names the parts of a benchmark that cannot be recognised.
.TP
.I *.shrec
A project: a benchmark with notes, colours and the state of the window.
.TP
.I ~/.local/share/shrec-viewer/plugins
Plug\\-in packages, installed with
.BR "pip install \\-\\-target" ;
.B shrec\\-viewer plugins
lists them.
.TP
.I ~/.config/shrec-viewer
Settings.
.TP
.I ~/.cache/shrec-viewer
Thumbnails and parsed files;
.B shrec\\-viewer cache
lists and removes them.
.TP
.I ~/.local/state/shrec-viewer
Logs, and unsaved edits of processes that were killed.
.SH ENVIRONMENT
.TP
.B QT_QPA_PLATFORM
Window system:
.BR xcb ,
.BR wayland ,
or
.B offscreen
for none.
.TP
.B NO_COLOR
If set, output has no colours.
.TP
.BR COLUMNS
Width of tables where the output is not a terminal.
.TP
.BR XDG_DATA_HOME ", " XDG_CONFIG_HOME ", " XDG_CACHE_HOME ", " XDG_STATE_HOME
Folders used instead of those above.
"""


def escape(text: str) -> str:
    r"""Text in roff: backslashes, dashes and dots at the beginning of lines stay what they are.

    >>> print(escape(".5 to --all"))
    \&.5 to \-\-all
    """
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("\N{MINUS SIGN}", "\\-")
    return re.sub(r"^([.'])", r"\\&\1", text, flags=re.MULTILINE)


def paragraphs(text: str) -> str:
    """The help of a command: paragraphs are filled, those after a line with a backspace keep their lines."""
    parts = []
    for block in cleandoc(text).partition("\f")[0].strip().split("\n\n"):
        if block.startswith("\b"):
            parts.append(f".nf\n{escape(block.removeprefix(chr(8)).strip(chr(10)))}\n.fi")
        else:
            parts.append(escape(" ".join(block.split())))
    return "\n.PP\n".join(parts)


def options(command: click.Command, context: click.Context) -> str:
    """Paragraphs of all options."""
    records = (param.get_help_record(context) for param in command.get_params(context))
    rows = (f".TP\n.B {escape(names)}\n{escape(' '.join(text.split()))}" for names, text in filter(None, records))
    return "\n".join(rows)


def command_section(command: click.Command, parent: click.Context) -> str:
    """Usage, help and options of one command."""
    context = click.Context(command, info_name=command.name, parent=parent)
    usage = " ".join([f"{NAME} {command.name}", *command.collect_usage_pieces(context)])
    return f'.SS "{escape(usage)}"\n{paragraphs(command.help or "")}\n{options(command, context)}'


def man_page() -> str:
    """The whole page."""
    context = click.Context(program, info_name=NAME, **SETTINGS)
    first, _, rest = cleandoc(program.help or "").partition("\n\n")
    begin = [
        f'.TH SHREC\\-VIEWER 1 "" "SHREC Viewer {__version__}" "User Commands"',
        f".SH NAME\n{escape(NAME)} \\- {escape(first[0].lower() + first[1:].rstrip('.'))}",
        f".SH SYNOPSIS\n.B {escape(NAME)}\n[\\fIBENCHMARK\\fR]\n.br",
        f".B {escape(NAME)}\n\\fICOMMAND\\fR [\\fIOPTIONS\\fR]",
        f".SH DESCRIPTION\n{paragraphs(rest)}",
        f".SH OPTIONS\n{options(program, context)}",
        ".SH COMMANDS",
    ]
    commands = [command_section(command, context) for command in map(load_command, COMMANDS)]
    epilog = (program.epilog or "").removeprefix("Exit status: ")
    status = "\n".join(
        f".TP\n.B {number}\n{escape(meaning[0].upper() + meaning[1:])}."
        for number, meaning in (part.split(" ", 1) for part in epilog.rstrip(".").split(", "))
    )
    return "\n".join([*begin, *commands, f".SH EXIT STATUS\n{status}", SECTIONS])


def completion_script(shell: str) -> str:
    """The script of click for a shell, which requests completions of the program."""
    return SHELLS[shell].source_template % SHELLS[shell](program, {}, NAME, INSTRUCTION).source_vars()


def main(arguments: list[str]) -> None:
    """Write the man page, or the completions."""
    if not arguments:
        PAGE.write_text(man_page(), encoding="utf-8")
        return
    for shell, name in COMPLETIONS.items():
        path = Path(arguments[1]) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(completion_script(shell), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
