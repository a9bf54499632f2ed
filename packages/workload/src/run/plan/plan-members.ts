import path from 'node:path';
import {
  kindOfMember,
  type Member,
  type Members,
  memberConfigOf,
  type RunConfig,
  type RunRequest,
  type SearchFields,
} from '@portolan/run-spec';
import { findWorkloadAddress } from '../../clients/workload-address.ts';
import { readListedTools } from '../../state/listed-tools.ts';
import type { WorkloadContext } from '../../workload-context.ts';
import { nameMember } from '../members/name-member.ts';
import { requestOfServer } from '../members/prepare-members.ts';
import type { PlannedMember, PlannedVirtualServer, RunPlan } from '../run-plan.ts';
import { type MemberTools, planNames } from './plan-names.ts';
import type { ListedTool } from './planned-members.ts';

/** Returns the tools of a running workload; undefined when they are unavailable. */
export type ListTools = (workload: string, signal: AbortSignal) => Promise<readonly ListedTool[] | undefined>;

export interface MembersPlanning {
  readonly context: WorkloadContext;
  /** Without it, tools of workloads are those that their supervisors recorded. */
  readonly listTools: ListTools | undefined;
  /** Plans the server of a member, as `planRun`. */
  readonly plan: (request: RunRequest, context: WorkloadContext, signal: AbortSignal) => Promise<RunPlan>;
}

export interface MembersToPlan {
  /** Name of the virtual server. */
  readonly name: string;
  readonly members: Members;
  readonly search: SearchFields | undefined;
  /** Folder that relative paths and targets of members begin at. */
  readonly folder: string;
}

export interface MembersPlan {
  readonly virtualServer: PlannedVirtualServer;
  readonly warnings: readonly string[];
}

/** Plans the members of a virtual server. Errors name the member. Throws like `planRun`. */
export async function planMembers(
  { name, members, search, folder }: MembersToPlan,
  planning: MembersPlanning,
  signal: AbortSignal,
): Promise<MembersPlan> {
  const own = { ...planning, context: { ...planning.context, workingDirectory: folder } };
  const rows: (ResolvedMember & { readonly known: MemberTools })[] = [];
  for (const [member, settings] of Object.entries(members)) {
    const resolved = await nameMember(member, async () =>
      kindOfMember(settings) === 'workload'
        ? await resolveWorkload(settings.workload ?? '', own, signal)
        : await resolveServer({ name, member }, settings, own, signal),
    );
    rows.push({ ...resolved, known: knownTools(member, settings, resolved) });
  }
  const { names, conflicts, list, warnings } = planNames(
    rows.map(({ known }) => known),
    search,
  );
  const planned = rows.map(({ known, text, plan }): PlannedMember => {
    const { settings } = known;
    const kind = kindOfMember(settings);
    const shown = names.filter((one) => one.member === known.name && one.hidden === undefined);
    return {
      name: known.name,
      kind,
      target: settings[kind] ?? '',
      resolved: text,
      tools_from: known.from,
      tools: known.from === undefined || known.from === 'file' ? undefined : shown.length,
      plan,
    };
  });
  const ofMembers = rows.flatMap(({ known, plan }) =>
    (plan?.warnings ?? []).map((warning) => `member ${known.name}: ${warning}`),
  );
  return {
    virtualServer: { members: planned, names, conflicts, list },
    warnings: [...ofMembers, ...warnings],
  };
}

interface ResolvedMember {
  readonly text: string;
  readonly plan: RunPlan | undefined;
  readonly tools: readonly ListedTool[] | undefined;
  readonly from: PlannedMember['tools_from'];
}

async function resolveWorkload(
  workload: string,
  { context, listTools }: MembersPlanning,
  signal: AbortSignal,
): Promise<ResolvedMember> {
  const { store, directories } = context;
  const stored = await store.find(workload);
  if (stored === undefined) {
    return { text: 'no such workload; unavailable until there is one', plan: undefined, ...NO_TOOLS };
  }
  const address = await findWorkloadAddress(workload, { store });
  const text = address === undefined ? (stored.state?.status ?? 'unknown') : `running at ${address.url}`;
  const tools = address === undefined ? undefined : await listTools?.(workload, signal);
  if (tools !== undefined) return { text, plan: undefined, tools, from: 'workload' };
  const recorded = await readListedTools(path.join(directories.policies, workload));
  if (recorded === undefined) return { text, plan: undefined, ...NO_TOOLS };
  return { text, plan: undefined, tools: recorded.map((name) => ({ name })), from: 'record' };
}

const NO_TOOLS = { tools: undefined, from: undefined } as const;

async function resolveServer(
  { name, member }: { readonly name: string; readonly member: string },
  settings: Member,
  { context, plan }: MembersPlanning,
  signal: AbortSignal,
): Promise<ResolvedMember> {
  const config = memberConfigOf(settings);
  if (config !== undefined) return { text: textOfConfig(config), plan: undefined, ...NO_TOOLS };
  const { requestOfMember } = await import('@portolan/run-spec/members-file');
  const request = requestOfMember(settings);
  if (request === undefined) return { text: 'unknown', plan: undefined, ...NO_TOOLS };
  const planned = await plan(requestOfServer(request, { name, member }), context, signal);
  const { entry_tools: tools } = planned;
  const named = tools === undefined ? NO_TOOLS : ({ tools: tools.map(withName), from: 'entry' } as const);
  return { text: textOfPlan(planned), plan: planned, ...named };
}

function withName(name: string): ListedTool {
  return { name };
}

function textOfConfig({ remote_url: url, run_target: target, image }: RunConfig): string {
  return url !== '' ? url : image !== '' ? image : target;
}

function textOfPlan({ image, remote_url: url, target }: RunPlan): string {
  if (url !== undefined) return url === target.named ? 'remote server' : `remote server ${url}`;
  const { reference = '', is = 'unknown' } = image ?? {};
  return reference === '' || reference === target.named ? `image ${is}` : `${reference} (${is})`;
}

/** Returns the known tools of a member: those that are listed, or else those that its settings name. */
function knownTools(name: string, settings: Member, { tools, from }: ResolvedMember): MemberTools {
  if (tools !== undefined) return { name, settings, from, tools };
  const named = [...new Set([...(settings.tools ?? []), ...Object.keys(settings.override ?? {})])];
  return { name, settings, from: named.length === 0 ? undefined : 'file', tools: named.map(withName) };
}
