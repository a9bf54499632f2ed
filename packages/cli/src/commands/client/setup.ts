import { Args } from '@oclif/core';
import { isPortolanError } from '@portolan/plugin-api';
import { confirm } from '../../terminal/ask/confirm.ts';
import { heedingInterrupt } from '../../terminal/ask/ask-user.ts';
import { badArgument, terminalNeeded } from '../../terminal/terminal-errors.ts';
import { boolean, string } from '../../command-line/flags/flag-types.ts';
import type { OpenedContext } from '../../context/open-workload-context.ts';
import { WorkloadCommand } from '../../command-line/workload-command.ts';
import { DEFAULT_GROUP } from '@portolan/workload';
import {
  findMemberEntries,
  getClient,
  listClients,
  registerClient,
  removeMemberEntries,
  unregisterClient,
} from '@portolan/workload/clients';

export default class ClientSetup extends WorkloadCommand {
  static override summary = 'Choose the clients that use workloads, by name or from a list';
  static override examples = [
    '<%= config.bin %> client setup',
    '<%= config.bin %> client setup cursor claude-code',
    '<%= config.bin %> client setup cursor --remove-members',
  ];
  static override args = {
    clients: Args.string({
      description: 'clients; by default, choose from the installed ones',
      multiple: true,
      ignoreStdin: true,
    }),
  };
  static override flags = {
    group: string({ description: 'group of workloads', helpValue: 'NAME', fallback: 'default' }),
    'remove-members': boolean({
      description: 'remove entries of workloads that a virtual server of the group serves as well',
      fallback: 'asks on a terminal, else keeps them',
    }),
  };

  override async run(): Promise<number> {
    const { flags, args } = await this.readArguments(ClientSetup);
    return await this.withWorkloads(flags, async (context, signal) => {
      const group = flags.group ?? DEFAULT_GROUP;
      const named = args.clients ?? [];
      for (const id of named) getClient(id);
      const choice = named.length > 0 ? { chosen: named, dropped: [] } : await choose(group, context, signal);
      for (const id of choice.chosen) {
        const notes: string[] = [];
        const observer = { note: (text: string) => void notes.push(text) };
        const warnings = await registerClient(id, group, context, observer);
        this.tell([
          ...notes.map((one) => `note: ${one}`),
          ...warnings.map((one) => `warning: ${one}`),
          `${id} gets the workloads of group ${group}`,
        ]);
        await this.#offerRemoval({ id, group, choice: flags['remove-members'] }, context);
      }
      for (const id of choice.dropped) {
        const { warnings } = await unregisterClient(id, group, context);
        this.tell([
          ...warnings.map((one) => `warning: ${one}`),
          `${id} gets no workloads of group ${group} any more`,
        ]);
      }
    });
  }

  /**
   * Removes entries of members that a virtual server of the client serves as well, if the flag or the user
   * says so.
   */
  async #offerRemoval({ id, group, choice }: Removal, context: OpenedContext): Promise<void> {
    const entries = await findMemberEntries(id, group, context);
    if (entries.length === 0 || choice === false) return;
    const what = entries
      .map(({ virtualServer, members }) => `${members.join(', ')}, which ${virtualServer} serves as well`)
      .join('; ');
    if (choice !== true && !process.stdin.isTTY) {
      this.tell([`note: ${id} has entries for ${what}; --remove-members removes them`]);
      return;
    }
    if (choice !== true && !(await isConfirmed(`Remove from ${id} the entries for ${what}? [y/N] `))) return;
    const warnings = await removeMemberEntries(id, entries, context);
    const names = [...new Set(entries.flatMap(({ members }) => members))].join(', ');
    this.tell([
      ...warnings.map((one) => `warning: ${one}`),
      ...(warnings.length > 0 ? [] : [`${id} has no entries any more for ${names}`]),
    ]);
  }
}

interface Removal {
  readonly id: string;
  readonly group: string;
  /** Value of --remove-members; undefined to ask. */
  readonly choice: boolean | undefined;
}

/** Asks the user on the terminal. Returns false unless the user types yes. */
async function isConfirmed(question: string): Promise<boolean> {
  try {
    await confirm(question, ['y', 'yes'], { input: process.stdin, output: process.stderr });
    return true;
  } catch (error) {
    if (isPortolanError(error) && error.code === 'ERR_NOT_CONFIRMED') return false;
    throw error;
  }
}

/**
 * Asks the user to select clients in a list. Returns the selected clients, and those that are no longer
 * selected.
 */
async function choose(
  group: string,
  context: OpenedContext,
  signal: AbortSignal,
): Promise<{ readonly chosen: readonly string[]; readonly dropped: readonly string[] }> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) {
    throw terminalNeeded(
      'the names of clients, as in `portolan client setup cursor`; see `portolan client list`',
    );
  }
  const offered = (await listClients(context)).filter((one) => one.installed || one.groups.includes(group));
  if (offered.length === 0)
    throw badArgument('no known client is installed; `portolan client list` shows the known ones');
  const { checkbox } = await import('@inquirer/prompts'); // slow to load
  const before = offered.filter((one) => one.groups.includes(group)).map(({ client }) => client);
  const choices = offered.map(({ client: value }) => ({ value, checked: before.includes(value) }));
  const message = `Which clients get the workloads of group ${group}?`;
  const terminal = { input: process.stdin, output: process.stderr, signal };
  const marked = await heedingInterrupt(
    process,
    signal,
    async () => await checkbox({ message, choices }, terminal),
  );
  return { chosen: marked, dropped: before.filter((one) => !marked.includes(one)) };
}
