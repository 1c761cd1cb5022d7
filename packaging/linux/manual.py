"""Man page and shell completions of the program, from the parser of its command line.

python packaging/linux/manual.py                    update packaging/shrec-viewer.1
python packaging/linux/manual.py completions FOLDER write bash, zsh and fish completions below FOLDER
"""

import re
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from inspect import cleandoc
from pathlib import Path
from typing import Any

import click

from shrec_viewer import __version__
from shrec_viewer.cli.program import COMMANDS, load_command, program
from shrec_viewer.metrics import MEASURES, PROFILES

NAME = "shrec-viewer"

PAGE = Path(__file__).parents[1] / "shrec-viewer.1"

COMPLETIONS = {
    "bash": f"bash-completion/completions/{NAME}",
    "zsh": f"zsh/vendor-completions/_{NAME}",
    "fish": f"fish/vendor_completions.d/{NAME}.fish",
}
"""Files by shell, below ``/usr/share``; the shells load them by these names."""

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


@dataclass(frozen=True)
class Word:
    """An option or an argument of a command, for completions.

    Attributes
    ----------
    names : of the option, ``("--order",)``; () for an argument.
    help : first sentence of its help.
    values : what can follow; () if it is free.
    kind : "flag" if nothing follows, "choice" for `values`, "file", "folder" or "text".
    repeats : whether an argument takes all words that follow.
    """

    names: tuple[str, ...]
    help: str
    values: tuple[str, ...]
    kind: str
    repeats: bool = False


def words(command: click.Command) -> list[Word]:
    """Options of a command in the order of its help, then its arguments."""
    context = click.Context(command, info_name=command.name, **SETTINGS)
    params = [param for param in command.get_params(context) if not getattr(param, "hidden", False)]
    return [_word(param) for param in sorted(params, key=lambda param: isinstance(param, click.Argument))]


def _word(param: click.Parameter) -> Word:
    names = () if isinstance(param, click.Argument) else (*param.opts, *param.secondary_opts)
    text = " ".join((getattr(param, "help", "") or "").split()).partition(". ")[0].rstrip(".")
    kind, values = _kind(param)
    return Word(names, text, values, kind, param.nargs == -1)


def _kind(param: click.Parameter) -> tuple[str, tuple[str, ...]]:
    if getattr(param, "is_flag", False):
        return "flag", ()
    if isinstance(param.type, click.Choice):
        return "choice", tuple(param.type.choices)
    if (param.name or "").endswith("profile"):
        return "choice", tuple(profile.key for profile in PROFILES)
    if param.name in ("measure", "measures", "sort"):
        return "choice", tuple(measure.name for measure in MEASURES if measure.name.isalnum())
    if param.name == "benchmark" or param.metavar in PATHS:
        return "folder" if param.metavar == "FOLDER" else "file", ()
    return "text", ()


PATHS = ("FILE", "FILE.png", "FOLDER", "PATH")
"""Words for the value of options that name a file or folder."""


def commands() -> dict[str, tuple[str, list[Word]]]:
    """First sentence of the help and words of each command that the help lists."""
    listed = [command for command in map(load_command, COMMANDS) if not command.hidden]
    return {command.name or "": (command.get_short_help_str(100).rstrip("."), words(command)) for command in listed}


def bash() -> str:
    """Completions for bash."""
    found = commands()
    values, options, files = [], [], []
    arguments = [f"        '') COMPREPLY=($(compgen -W {_ansi(found)} -- \"$current\")) ;;"]
    for name, (_, own) in found.items():
        choices = [value for word in own if not word.names for value in word.values]
        if choices:
            arguments.append(f'        {name}) COMPREPLY=($(compgen -W {_ansi(choices)} -- "$current")) ;;')
        for word in own:
            for option in word.names:
                if word.kind == "choice":
                    values.append(f"        {name},{option}) values={_quoted(chr(10).join(word.values))} ;;")
                elif word.kind in ("file", "folder"):
                    files.append(f"{name},{option}")
                elif word.kind == "text":
                    values.append(f"        {name},{option}) return ;;")
        options.append(f"        {name}) options={_quoted(' '.join(_names(own)))} ;;")
    return f"""# bash completion for {NAME}; made by packaging/linux/manual.py

_shrec_viewer() {{
    local IFS=$'\\n' current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD-1]}}
    local command= word values= options={_quoted(" ".join(_names(words(program))))}
    for word in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
        case $word in {"|".join(found)}) command=$word; break ;; esac
    done
    case $command,$previous in
{chr(10).join(values)}
        {"|".join(files)}) compopt -o default; return ;;
    esac
    case $command in
{chr(10).join(options)}
    esac
    if [[ -n $values ]]; then
        COMPREPLY=($(compgen -W "$values" -- "$current"))
        COMPREPLY=("${{COMPREPLY[@]// /\\\\ }}")
    elif [[ $current == -* ]]; then
        COMPREPLY=($(compgen -W "${{options// /$IFS}}" -- "$current"))
    else
        compopt -o default
        case $command in
{chr(10).join(arguments)}
        esac
    fi
}}
complete -F _shrec_viewer {NAME}
"""


def zsh() -> str:
    """Completions for zsh."""
    found = commands()
    rows = [f"        {_quoted(f'{name}:{text}')}" for name, (text, _) in found.items()]
    cases = [f"        {name}) _arguments {' '.join(_zsh(own))} ;;" for name, (_, own) in found.items()]
    return f"""#compdef {NAME}
# made by packaging/linux/manual.py

_shrec_viewer() {{
    local -a commands
    commands=(
{chr(10).join(rows)}
    )
    if (( CURRENT == 2 )); then
        if [[ $words[2] == -* ]]; then
            _arguments {" ".join(_zsh(words(program)))}
        else
            _describe command commands
            _files
        fi
        return
    fi
    local command=$words[2]
    shift words
    (( CURRENT-- ))
    case $command in
{chr(10).join(cases)}
        *) _files ;;
    esac
}}

_shrec_viewer "$@"
"""


def fish() -> str:
    """Completions for fish."""
    found = commands()
    lines = [f"# fish completion for {NAME}; made by packaging/linux/manual.py"]
    lines += [_fish(word, "__fish_use_subcommand") for word in words(program) if word.names]
    for name, (text, own) in found.items():
        lines.append(f"complete -c {NAME} -n __fish_use_subcommand -a {name} -d {_quoted(text)}")
        lines += [_fish(word, f"__fish_seen_subcommand_from {name}") for word in own if word.names or word.values]
    return "\n".join([*lines, ""])


def _names(found: list[Word]) -> list[str]:
    return [name for word in found for name in word.names]


def _quoted(text: str) -> str:
    """Text between single quotes, as bash, zsh and fish read it."""
    return "'" + text.replace("'", "'\\''") + "'"


def _ansi(names: Iterable[str]) -> str:
    return "$'" + "\\n".join(names) + "'"


def _zsh(found: list[Word]) -> list[str]:
    """Arguments of zsh's ``_arguments``."""
    rows = []
    for word in found:
        spaced = " ".join(value.replace(" ", "\\ ") for value in word.values)
        action = {"choice": f"({spaced})", "file": "_files", "folder": "_files -/"}.get(word.kind, "")
        text = re.sub(r"([\[\]:\\])", r"\\\1", word.help)
        follows = "" if word.kind == "flag" else f":value:{action}"
        rows += [_quoted(f"*{name}[{text}]{follows}") for name in word.names]
        if not word.names:
            rows.append(_quoted(f"{'*' * word.repeats}:argument:{action}"))
    return rows


def _fish(word: Word, condition: str) -> str:
    flags = " ".join(f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}" for name in word.names)
    takes = {"flag": "", "file": " -r -F", "folder": " -x -a '(__fish_complete_directories)'", "text": " -x"}
    if word.kind == "choice":
        spaced = " ".join(value.replace(" ", "\\ ") for value in word.values)
        takes["choice"] = f" -x -a {_quoted(spaced)}" if word.names else f"-a {_quoted(spaced)}"
    return f"complete -c {NAME} -n {_quoted(condition)} {flags}{takes[word.kind]} -d {_quoted(word.help)}"


def main(arguments: list[str]) -> None:
    """Write the man page, or the completions."""
    if not arguments:
        PAGE.write_text(man_page(), encoding="utf-8")
        return
    for shell, name in COMPLETIONS.items():
        path = Path(arguments[1]) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text({"bash": bash, "zsh": zsh, "fish": fish}[shell](), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
