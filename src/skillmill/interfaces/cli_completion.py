"""The command that prints the completion of a shell."""

import click


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print the script with which a shell completes commands and options.

    Put `eval "$(skillmill completion bash)"` in ~/.bashrc, the same with zsh in
    ~/.zshrc, or `skillmill completion fish | source` in ~/.config/fish/config.fish.
    Bash must be 4.4 or newer.

    Example: skillmill completion bash
    """
    from click.shell_completion import get_completion_class  # noqa: PLC0415

    root = click.get_current_context().find_root()
    kind = get_completion_class(shell)
    if kind is None:
        raise click.UsageError(f"no completion is known for {shell}")
    made = kind(root.command, {}, "skillmill", "_SKILLMILL_COMPLETE")
    click.echo(made.source())
