import { hintForWorkload, type UpdateOffer, type OperationResult } from '@portolan/workload';
import { isPortolanError } from '@portolan/plugin-api';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { environmentToken } from '../command-line/environment-token.ts';
import { choiceFlags, choiceOf, nobodyChosen, workloadNames } from '../command-line/flags/choice-flags.ts';
import { boolean } from '../command-line/flags/flag-types.ts';
import { formatFlag } from '../command-line/flags/format-flag.ts';
import { lookupFlags } from '../command-line/flags/lookup-flags.ts';
import {
  gatewayImageFlag,
  startTimeoutOf,
  startTimeoutFlag,
  trustFlag,
} from '../command-line/flags/start-flags.ts';
import { workloadConfigFlag } from '../command-line/flags/workload-config-flag.ts';
import { contextWithRegistry } from '../command-line/lookup-context.ts';
import { LockCommand } from '../command-line/lock-command.ts';
import type { OpenedContext } from '../context/open-workload-context.ts';
import { formatUpdate, toolLines, type UpdateReport } from '../terminal/format/format-update.ts';
import { reportResults } from '../terminal/report-results.ts';
import { chooseNames } from '@portolan/workload/operations';
import { updateWorkload, findUpdate } from '@portolan/workload/update';
import { compareToolNames, compareTools } from '../mcp/compare-tools.ts';
import { toolsOfWorkload } from '../mcp/tools-of-workload.ts';

const SOMETHING_NEWER = 3;

export default class Update extends LockCommand {
  static override summary = 'Update workloads to the newest version of their package, image or entry';
  static override description =
    'Looks for newer versions in the package index, in the image registry (newer tags of the same form, and a ' +
    'new image under the same tag) and in the registry entry of a workload. Shows the changes, also of tools ' +
    'and permissions. Then replaces the workload, which keeps its settings, address and permissions. If the ' +
    'entry names another image or package, the command asks again for what the workload was granted. A ' +
    'workload that does not start with the newer version is rolled back. If the workload is in a lock file, the ' +
    'command then shows how the new version differs from the lock, and asks before it writes the lock file. --check ' +
    'changes nothing; its exit status is 3 when there is an update.';
  static override usage = 'update [NAMES...] [FLAGS]';
  static override examples = [
    '<%= config.bin %> update weather',
    '<%= config.bin %> update --all --check --format json',
  ];
  static override args = workloadNames;
  static override flags = {
    ...choiceFlags,
    check: boolean({
      description: 'only report updates; without names, of all workloads',
      fallback: 'false',
    }),
    yes: boolean({
      char: 'y',
      description: 'approve the differences from the lock without asking, for scripts',
      fallback: 'false',
    }),
    'start-timeout': startTimeoutFlag,
    'gateway-image': gatewayImageFlag,
    trust: trustFlag,
    ...lookupFlags,
    config: workloadConfigFlag,
    format: formatFlag,
  };

  override async run(): Promise<number> {
    const { flags, args } = await this.readArguments(Update);
    const startTimeoutMs = startTimeoutOf(flags);
    const onlyLooks = flags.check === true;
    const token = await environmentToken(process.env);
    return await this.withWorkloads({ ...flags, needsKinds: true }, async (opened, signal) => {
      const context = await contextWithRegistry(flags, opened, signal);
      const choice = choiceOf(args.names, flags);
      const isEverything = onlyLooks && choice.names.length === 0 && choice.group === undefined;
      const names = await chooseNames(isEverything ? { ...choice, all: true } : choice, context);
      if (names.length === 0) this.tell([nobodyChosen(flags)]);
      const reports: UpdateReport[] = [];
      const results: OperationResult[] = [];
      for (const name of names) {
        const progress = this.progress(names.length > 1 ? name : undefined);
        const done = (changed: boolean, error?: unknown): void => {
          progress.clear();
          results.push({ name, changed, notes: [], error: error === undefined ? undefined : known(error) });
        };
        try {
          const looked = await this.#look(name, token, context, signal);
          if (flags.format !== 'json') this.log(formatUpdate(looked.report));
          if (onlyLooks || !looked.report.available) {
            reports.push(looked.report);
            done(false);
            continue;
          }
          const observer = this.observer(progress, () => undefined, flags.debug);
          const file = flags.config === undefined ? {} : { configFile: path.resolve(flags.config) };
          const program = this.supervisorProgram();
          const options = { observer, program, startTimeoutMs, trust: flags.trust, ...file };
          await updateWorkload(looked.update, context, options, signal);
          progress.clear();
          const tools = await looked.changesNow();
          reports.push({ ...looked.report, tools, updated: true });
          const lines = toolLines({ tools });
          // The entry predicted these tools, and the lines above show them.
          const isShown = isDeepStrictEqual(lines, toolLines(looked.report));
          if (flags.format !== 'json' && tools !== null && !isShown)
            this.log(lines.map((one) => `  ${one}`).join('\n'));
          await this.approveUpdate(name, flags, context, signal);
          done(true);
        } catch (error) {
          signal.throwIfAborted();
          done(false, isPortolanError(error) ? hintForWorkload(name, error) : error);
        }
      }
      if (flags.format === 'json') this.print('json', reports, '');
      const report = { debug: flags.debug, tell: (lines: readonly string[]) => this.tell(lines) };
      const shown = results.filter(({ error, changed }) => error !== undefined || (changed && !onlyLooks));
      reportResults(shown, { done: 'is updated', unchanged: 'is unchanged' }, report);
      return onlyLooks && reports.some(({ available }) => available) ? SOMETHING_NEWER : 0;
    });
  }

  /**
   * Looks up whether a workload has an update. Stores its current tools for a comparison after the update.
   */
  async #look(
    name: string,
    token: string | undefined,
    context: OpenedContext,
    signal: AbortSignal,
  ): Promise<Looked> {
    const update = await findUpdate(name, context, signal);
    const { of, available, current, newest, permissions, notes } = update;
    const { grants, refusals } = update.asks;
    const before = available ? await toolsOfWorkload(name, token, context, signal) : undefined;
    const listed =
      before === undefined || update.tools === undefined ? null : compareToolNames(before, update.tools);
    return {
      update,
      report: {
        name,
        of,
        available,
        current,
        newest,
        permissions,
        grants: grants.map(({ kind, line }) => ({ kind, line })),
        refusals,
        tools: listed,
        updated: false,
        notes,
      },
      changesNow: async () => {
        const after = before === undefined ? undefined : await toolsOfWorkload(name, token, context, signal);
        return before === undefined || after === undefined ? null : compareTools(before, after);
      },
    };
  }
}

interface Looked {
  readonly update: UpdateOffer;
  readonly report: UpdateReport;
  /** Returns how the update changed the tools; null when that is unknown. */
  readonly changesNow: () => Promise<UpdateReport['tools']>;
}

/**
 * Returns an error of Portolan, after which the update of other workloads continues. Throws any other error.
 */
function known(error: unknown): NonNullable<OperationResult['error']> {
  if (isPortolanError(error)) return error;
  throw error;
}
