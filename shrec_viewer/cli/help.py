"""Help of commands: options in groups, of which ``--help`` describes those that fit a screen."""

import os
from inspect import cleandoc
from textwrap import wrap
from typing import Any

import click

from shrec_viewer.formats.core.read_choices import READ_OPTION_OF

#: Lines of ``--help`` at most: a terminal window of usual height with the prompt below.
SCREEN_LINES = 45

#: Group of the options that are in no other one: those of the command.
OWN = "Options"

#: Names of parameters by group, in the order of the help; ``--help`` describes as many groups as fit.
#:
#: ``--help`` has the second name of its group since click 8.2.
GROUPS: dict[str, tuple[str, ...]] = {
    OWN: (),
    "Output": ("target", "form", "output", "force"),
    "Conventions": ("profile", "ties", "missing", "relevance", "convention", "edits", "virtual"),
    "Input": ("classification", "queries", "assessment", "models", "runs", "add", "published"),
    "Reading": (*READ_OPTION_OF, "truth_columns"),
    "Computation": ("jobs", "scheduler", "renderer"),
    "Help": ("help", "_click_default_help", "help_all"),
}


NAME_WIDTH = max(map(len, GROUPS)) + 2


def group_of(option: click.Parameter) -> str:
    """The group of an option."""
    return next((group for group, names in GROUPS.items() if option.name in names), OWN)


class GroupedCommand(click.Command):
    """Command with options in `GROUPS`: ``--help`` fits `SCREEN_LINES`, ``--help-all`` describes every option."""

    def __init__(self, *args: Any, **settings: Any) -> None:
        super().__init__(*args, **settings)
        self.params.append(
            click.Option(
                ["--help-all"], is_flag=True, is_eager=True, expose_value=False, callback=_print_full_help,
                help="Show all options in full and exit.",
            )
        )  # fmt: skip

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Also name the options for an argument too many, of which click says only that it is unexpected.

        In completions, without a last option whose value is completed, after which click drops all arguments.
        """
        is_option = ctx.resilient_parsing and bool(args) and args[-1].startswith("-")
        ctx.allow_extra_args = True
        rest = super().parse_args(ctx, args[:-1] if is_option else args)
        if rest and not ctx.resilient_parsing:
            likely = ("--add",) if os.path.exists(rest[0]) else ("--run", "--measure", "--query")
            known = {name for parameter in self.params for name in parameter.opts}
            options = [f"{name} {rest[0]}" for name in likely if name in known]
            hint = f"; do you mean {' or '.join(options)}?" if options else ""
            raise click.UsageError(f"'{rest[0]}' is one argument too many{hint}", ctx)
        return rest

    def get_help(self, ctx: click.Context) -> str:
        """The help with as many groups as fit a screen, but at least the first; the others are named."""
        texts = (self._help(ctx, count) for count in range(len(GROUPS) - 1, 1, -1))
        return next((text for text in texts if len(text.splitlines()) <= SCREEN_LINES), self._help(ctx, 1))

    def full_help(self, ctx: click.Context) -> str:
        """The help of all options, with all of their texts."""
        return self._help(ctx, len(GROUPS), in_full=True)

    def introduction(self, ctx: click.Context) -> str:
        """Text above the options in ``--help``: the first two paragraphs of the help."""
        return "\n\n".join(cleandoc(self.help or "").split("\n\n")[:2])

    def option_text(self, ctx: click.Context, option: click.Option) -> str | None:
        """Description of an option in ``--help``, of which it shows the first sentence; None if it is not shown."""
        return option.help

    def _help(self, ctx: click.Context, n_described: int, *, in_full: bool = False) -> str:
        formatter = ctx.make_formatter()
        self.format_usage(ctx, formatter)
        text = cleandoc(self.help or "") if in_full else self.introduction(ctx)
        formatter.write_paragraph()
        with formatter.indentation():
            formatter.write_text(text)
        shown = [option for option in self.get_params(ctx) if isinstance(option, click.Option)]
        shown = [option for option in shown if in_full or self.option_text(ctx, option) is not None]
        groups = {group: [option for option in shown if group_of(option) == group] for group in GROUPS}
        found = [(group, of_group) for group, of_group in groups.items() if of_group]
        record = click.Option.get_help_record if in_full else self._short_record
        for group, of_group in found[:n_described]:
            with formatter.section(group):
                formatter.write_dl([record(option, ctx) or ("", "") for option in of_group])
        if rest := found[n_described:-1]:
            with formatter.section("More options, described by --help-all"):
                for group, of_group in rest:
                    names, begin = " ".join(option.opts[-1] for option in of_group), f"  {group:<{NAME_WIDTH}}"
                    lines = wrap(names, formatter.width - len(begin), break_on_hyphens=False)
                    formatter.write(begin + f"\n{' ' * len(begin)}".join(lines) + "\n")
        self.format_epilog(ctx, formatter)
        return formatter.getvalue().rstrip("\n")

    def _short_record(self, option: click.Option, ctx: click.Context) -> tuple[str, str]:
        """Names and first sentence, with the choices in the latter."""
        names, _ = option.get_help_record(ctx) or ("", "")
        text = (self.option_text(ctx, option) or "").partition(". ")[0].rstrip(".")
        if isinstance(option.type, click.Choice) and option.metavar is None:
            names, _, choices = names.partition(" [")
            text += f" [{choices}"
        note = f" [default: {option.default}]" if option.show_default else " [required]" if option.required else ""
        return names, f"{text}{note}"


def _print_full_help(ctx: click.Context, option: click.Parameter, is_given: bool) -> None:
    if is_given and not ctx.resilient_parsing:
        assert isinstance(ctx.command, GroupedCommand)
        click.echo(ctx.command.full_help(ctx), color=ctx.color)
        ctx.exit()
