import { isDeepStrictEqual } from 'node:util';
import { UndoStack } from '@portolan/plugin-api';
import type { Member, Members, RunConfig } from '@portolan/run-spec';
import { recordWorkload } from '../../consent/trust-records.ts';
import { ownerOf, requireOwnSecrets } from '../../secrets/secret-owner.ts';
import { memberName } from '../../state/member-name.ts';
import { serverKeyOf } from '../../supervisor/members/member-settings.ts';
import type { ChangedFile, ChangedMembers, ChangeMembers } from '../../supervisor/supervision.ts';
import type { WorkloadContext } from '../../workload-context.ts';
import type { RunObserver } from '../run-observer.ts';
import { requireToolIndex } from '../steps/check/require-tool-index.ts';
import { prepareRun } from '../steps/prepare-run.ts';
import { resolveSecretValues, storeRunSecrets } from '../steps/run-secrets.ts';
import { checkWorkloadMembers } from './check-workload-members.ts';
import { folderOf, prepareMembers } from './prepare-members.ts';
import { type MembersSource, parseMembers } from './read-members-file.ts';

/** Prepares the members of a changed members file. No user is present, so that missing consent is refused. */
export const changeMembers: ChangeMembers = async (name, { text, before }, context, signal) => {
  const { config } = await context.store.getConfig(name);
  const source = await parseMembers(text, config.members_file, context.home);
  const merged = mergeMembers(config, source);
  const isSame = merged.isSame && isDeepStrictEqual(config.search, source.search);
  const unapplied = await findUnapplied(source, before, context.home);
  if (isSame) return { unapplied, change: undefined };
  const warnings = [
    ...source.notes,
    ...checkWorkloadMembers(name, source.members, await context.store.list()),
  ];
  await requireToolIndex(source.search, context);
  const undo = new UndoStack(context.logger);
  try {
    const stored = await storeMembers(config, merged, source, { context, undo, warnings, signal });
    return { unapplied, change: { ...stored, warnings } };
  } catch (error) {
    await undo.run();
    throw error;
  }
};

/** Returns the settings of the virtual server itself that differ from those of the text before. */
async function findUnapplied(
  source: MembersSource,
  before: string | undefined,
  home: string,
): Promise<ChangedFile['unapplied']> {
  if (before === undefined) return [];
  // A broken text had no effect, so that nothing is known about what differs.
  const earlier = await parseMembers(before, source.file, home).catch(() => undefined);
  if (earlier === undefined) return [];
  const [old, now] = [ownSettingsOf(earlier), ownSettingsOf(source)];
  return Object.keys({ ...old, ...now }).filter((setting) => !isDeepStrictEqual(old[setting], now[setting]));
}

/** Returns what a members file says about the virtual server itself, by the name of the setting. */
function ownSettingsOf({
  name,
  group,
  memberGroup,
  fields,
}: MembersSource): Readonly<Record<string, unknown>> {
  return { name, group, member_group: memberGroup, ...fields };
}

interface MergedMembers {
  /** Members of the file. Those whose server is the same have its run config. */
  readonly members: Members;
  /** Members whose server must be prepared. */
  readonly changed: Members;
  readonly isSame: boolean;
}

function mergeMembers({ members: before }: RunConfig, { members }: MembersSource): MergedMembers {
  const merged: [string, Member][] = [];
  const changed: [string, Member][] = [];
  for (const [name, member] of Object.entries(members)) {
    const earlier = Object.hasOwn(before, name) ? before[name] : undefined;
    const isSame = earlier !== undefined && serverKeyOf(earlier) === serverKeyOf(member);
    const { config } = earlier ?? {};
    merged.push([name, isSame && config !== undefined ? { ...member, config } : member]);
    if (!isSame) changed.push([name, member]);
  }
  const all = Object.fromEntries(merged);
  const isSame = JSON.stringify(all) === JSON.stringify(before) || isEqualInOrder(all, before);
  return { members: all, changed: Object.fromEntries(changed), isSame };
}

function isEqualInOrder(one: Members, other: Members): boolean {
  return isDeepStrictEqual(Object.keys(one), Object.keys(other)) && isDeepStrictEqual(one, other);
}

interface StoreParts {
  readonly context: WorkloadContext;
  readonly undo: UndoStack;
  readonly warnings: string[];
  readonly signal: AbortSignal;
}

async function storeMembers(
  config: RunConfig,
  { members, changed }: MergedMembers,
  { search }: MembersSource,
  { context, undo, warnings, signal }: StoreParts,
): Promise<Omit<ChangedMembers, 'warnings'>> {
  const { name, members_file: file } = config;
  const request = { name, members: changed, folder: folderOf(file, context.workingDirectory) };
  const options = { observer: observerOf(context, warnings), trust: false };
  const prepared = await prepareMembers(request, context, options, prepareRun, signal);
  const settled = await prepared.settle();
  const next = { ...config, members: { ...members, ...settled.members }, search };
  const own = settled.secrets.map((secret) => secret.name);
  const owner = ownerOf(name, own, context.store);
  const ofChange = { ...next, members: settled.members };
  await requireOwnSecrets(ofChange, owner);
  await storeRunSecrets(settled.secrets, context, undo, signal);
  const values = await valuesOf(ofChange, context, owner, signal);
  await context.store.changeConfig(name, (now) => ({ ...now, members: next.members, search }));
  await context.store.change(name, (state) => ({
    ...state,
    members: { ...state.members, ...settled.states },
  }));
  for (const [member, consent] of prepared.consents)
    await recordWorkload(memberName(name, member), consent, context);
  return { members: next.members, search, values, states: settled.states };
}

async function valuesOf(
  config: RunConfig,
  context: WorkloadContext,
  owner: ReturnType<typeof ownerOf>,
  signal: AbortSignal,
): Promise<NonNullable<Awaited<ReturnType<typeof resolveSecretValues>>['members']>> {
  if (Object.keys(config.members).length === 0) return {};
  return (await resolveSecretValues(config, context, owner, signal)).members ?? {};
}

/** Returns an observer without a user, which collects the warnings. */
function observerOf({ logger }: WorkloadContext, warnings: string[]): RunObserver {
  return {
    step: (step, text) => logger.debug({ step }, text),
    image: () => undefined,
    warn: (text) => warnings.push(text),
    note: (text) => logger.info({}, text),
    ready: () => undefined,
  };
}
