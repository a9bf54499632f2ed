import { Args } from '@oclif/core';
import { BaseCommand } from '../command-line/base-command.ts';
import { completedCommands } from '../command-line/completed-commands.ts';
import { COMPLETION_SHELLS, completionScript } from '../command-line/completion-script.ts';

export default class Completion extends BaseCommand {
  static override summary = 'Print what makes a shell complete the commands and flags of Portolan';
  static override description =
    'For bash, put `source <(portolan completion bash)` into ~/.bashrc; for zsh, ' +
    '`source <(portolan completion zsh)` into ~/.zshrc, after compinit; for fish, ' +
    '`portolan completion fish | source` into ~/.config/fish/config.fish. Values of flags and names of workloads, groups and plugins are completed too; those of sources and ' +
    'registries where PORTOLAN_URL names the server, which is asked without a word to you, for two seconds at most.';
  static override examples = ['<%= config.bin %> completion bash'];
  static override args = {
    shell: Args.string({
      description: 'the shell',
      options: [...COMPLETION_SHELLS],
      required: true,
      ignoreStdin: true,
    }),
  };

  override async run(): Promise<void> {
    const { args } = await this.parse(Completion, this.argumentsOf(Completion));
    const shell = COMPLETION_SHELLS.find((one) => one === args.shell);
    if (shell === undefined) throw new Error(`the parser let the shell ${args.shell} pass`);
    process.stdout.write(completionScript(shell, completedCommands(this.config)));
  }
}
