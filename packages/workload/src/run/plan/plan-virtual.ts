import { findLostProtections, protectionsOf, type RunConfig, type RunRequest } from '@portolan/run-spec';
import { planConsent } from '../../consent/require-consent.ts';
import { membersIn } from '../../supervisor/members/group-members.ts';
import { checkWorkloadMembers } from '../members/check-workload-members.ts';
import { folderOf } from '../members/prepare-members.ts';
import { prepareOwnSettings, readMembersOf } from '../members/prepare-virtual.ts';
import type { RunPlan } from '../run-plan.ts';
import { requireGroup } from '../steps/check/require-group.ts';
import { findChanges } from '../steps/find-changes.ts';
import type { InputSources } from '../steps/read/resolve-inputs.ts';
import { settleRequest } from '../steps/settle-request.ts';
import { planGrants } from './plan-grants.ts';
import { type MembersPlanning, planMembers } from './plan-members.ts';
import { planSecrets } from './plan-parts.ts';
import { planSettings } from './plan-settings.ts';

/** Plans a virtual server of `--members` or `--member-group`. Throws like `planRun`. */
export async function planVirtual(
  request: RunRequest,
  sources: InputSources,
  planning: MembersPlanning,
  signal: AbortSignal,
): Promise<RunPlan> {
  const { context } = planning;
  const source = await readMembersOf(request, context, signal);
  const gates = { decide: planConsent(context) };
  const prepared = await prepareOwnSettings(request, source, context, { sources, gates }, signal);
  const { settings } = prepared;
  await requireGroup(settings.group.value, context);
  const name = settings.name.value;
  const workloads = await context.store.list();
  const earlier = workloads.find((workload) => workload.name === name)?.config;
  const settled = await settleRequest(prepared, { image: undefined, workloads, replaced: earlier });
  const { config } = settled;
  const members = membersIn(config, workloads);
  const folder = folderOf(source.file, context.workingDirectory);
  const parts = { name, members, search: source.search, folder };
  const { virtualServer, warnings } = await planMembers(parts, planning, signal);
  return {
    ...EMPTY,
    name,
    target: {
      form: 'members',
      named: source.file === '' ? source.memberGroup : source.file,
      because: prepared.because,
      registry: undefined,
    },
    settings: planSettings(settled, false).filter(({ setting }) => setting !== 'members'),
    protections: protectionsOf(config),
    secrets: planSecrets(config).map((secret) => ({ ...secret, author: 'user' })),
    missing: prepared.missing,
    changes: earlier === undefined ? undefined : findChanges(withoutServers(earlier), config),
    lost: earlier === undefined ? [] : findLostProtections(earlier, config),
    grants: await planGrants(prepared.consent, context),
    warnings: [
      ...source.notes,
      ...prepared.warnings,
      ...checkWorkloadMembers(name, members, workloads),
      ...warnings,
    ],
    virtual_server: virtualServer,
  };
}

/** Parts of a plan that only single servers have. */
const EMPTY = {
  image: undefined,
  remote_url: undefined,
  mounts: [],
  hidden: [],
  networks: undefined,
  sessions: undefined,
  environment: [],
  headers: [],
  entry_tools: undefined,
} as const;

/** Leaves out the run configs of the members' servers, which a plan does not have. */
function withoutServers(config: RunConfig): RunConfig {
  const members = Object.entries(config.members).map(([name, { config: _config, ...member }]) => [
    name,
    member,
  ]);
  return { ...config, members: Object.fromEntries(members) };
}
