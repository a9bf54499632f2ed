import type { RunRequest } from '@portolan/run-spec';
import type { WorkloadContext } from '../../workload-context.ts';
import type { RunOptions } from '../run-options.ts';
import type { InputSources } from '../steps/read/resolve-inputs.ts';
import { type PreparedRequest, prepareRequest, type RequestGates } from '../steps/prepare-request.ts';
import type { PreparedRun } from '../steps/prepared-run.ts';
import { requireGroup } from '../steps/check/require-group.ts';
import { requireToolIndex } from '../steps/check/require-tool-index.ts';
import { settleRequest } from '../steps/settle-request.ts';
import { checkWorkloadMembers } from './check-workload-members.ts';
import { folderOf, type Prepare, prepareMembers } from './prepare-members.ts';
import { fieldsOfSource } from './fields-of-source.ts';
import { type MembersSource, readMembersFile } from './read-members-file.ts';

/** Returns the members that a request names. Throws like `readMembersFile`, and ERR_GROUP_UNKNOWN. */
export async function readMembersOf(
  { flags: { members: file, memberGroup = '' } }: RunRequest,
  context: Pick<WorkloadContext, 'workingDirectory' | 'home' | 'directories'>,
  signal: AbortSignal,
): Promise<MembersSource> {
  if (file !== undefined) return await readMembersFile(file, context, signal);
  await requireGroup(memberGroup, context);
  return {
    file: '',
    name: undefined,
    group: undefined,
    members: {},
    memberGroup,
    search: undefined,
    fields: {},
    notes: [],
  };
}

/** Merges the settings of a virtual server itself. Throws like `prepareRequest`. */
export async function prepareOwnSettings(
  request: RunRequest,
  source: MembersSource,
  context: WorkloadContext,
  { sources, gates }: { readonly sources: InputSources; readonly gates: Pick<RequestGates, 'decide'> },
  signal: AbortSignal,
): Promise<PreparedRequest> {
  const virtual = { name: source.name, group: source.group, fields: fieldsOfSource(source) };
  return await prepareRequest(request, context, sources, { ...gates, virtual }, signal);
}

/**
 * Prepares a virtual server: its own settings as those of any run, and each member with a server of its own as
 * a run. Throws like `prepareRequest`, and like `prepareMembers`.
 */
export async function prepareVirtual(
  request: RunRequest,
  context: WorkloadContext,
  {
    sources,
    gates,
    options,
    prepare,
  }: {
    readonly sources: InputSources;
    readonly gates: Pick<RequestGates, 'decide'>;
    readonly options: Pick<RunOptions, 'observer' | 'trust'>;
    readonly prepare: Prepare;
  },
  signal: AbortSignal,
): Promise<PreparedRun> {
  const { observer } = options;
  const source = await readMembersOf(request, context, signal);
  const own = await prepareOwnSettings(request, source, context, { sources, gates }, signal);
  const name = own.settings.name.value;
  const workloads = await context.store.list();
  const { members, search } = source;
  await requireToolIndex(search, context);
  const notes = [...source.notes, ...own.warnings, ...checkWorkloadMembers(name, members, workloads)];
  for (const note of notes) observer.warn(note);
  const folder = folderOf(source.file, context.workingDirectory);
  const prepared = await prepareMembers({ name, members, folder }, context, options, prepare, signal);
  return {
    name,
    group: own.settings.group.value,
    consent: own.consent,
    consents: prepared.consents,
    settle: async (replaced) => {
      observer.step('settings', `Choosing the settings of ${name}`);
      const settled = await settleRequest(own, { image: undefined, workloads, replaced });
      const servers = await prepared.settle();
      return {
        ...settled,
        config: { ...settled.config, members: servers.members },
        secrets: [...settled.secrets, ...servers.secrets],
        states: servers.states,
      };
    },
  };
}
