import { isReservedImage } from '@portolan/outbound';
import {
  findLostProtections,
  type RunConfig,
  type RunRequest,
  isVirtualServer,
  liftSecrets,
  protectionsOf,
  refuseCallbackPort,
  runConfigDocument,
} from '@portolan/run-spec';
import { requireOwnSecrets } from '../../secrets/secret-owner.ts';
import { planConsent } from '../../consent/require-consent.ts';
import { authorOfFile } from './plan-authors.ts';
import { planGrants } from './plan-grants.ts';
import type { WorkloadContext } from '../../workload-context.ts';
import type { PlannedGrant, PlannedSetting, RunPlan } from '../run-plan.ts';
import { sourceOfRunTarget } from '../steps/config-image.ts';
import type { ImageSource } from '../steps/image-source.ts';
import { prepareFile } from '../steps/prepare-file.ts';
import { requireGroup } from '../steps/check/require-group.ts';
import { findIssuerProblem, refuseIssuer } from '../../supervisor/issuer-problem.ts';
import { ownerOfRun } from '../steps/run-secrets.ts';
import { settleFile } from '../steps/settle-file.ts';
import { findChanges } from '../steps/find-changes.ts';
import { membersIn } from '../../supervisor/members/group-members.ts';
import { planHost } from './plan-host.ts';
import { type ImagePlan, planImage } from './plan-image.ts';
import { type MembersPlan, type MembersPlanning, planMembers } from './plan-members.ts';
import { planAddedVariables, planMounts, planNetworks, planOverlays, planSecrets } from './plan-parts.ts';
import { planSessions } from './plan-sessions.ts';
import { plannedSetting } from './plan-settings.ts';

/** Plans a run config file. Throws like `planRun`. */
export async function planFile(
  { fromConfig: named, fromText: text }: Pick<RunRequest, 'fromText'> & { readonly fromConfig: string },
  planning: MembersPlanning,
  signal: AbortSignal,
): Promise<RunPlan> {
  const { context } = planning;
  const gates = { decide: planConsent(context), text };
  const { file, config, notes, consent } = await prepareFile(named, context, gates, signal);
  await requireGroup(config.group === '' ? 'default' : config.group, context);
  const grants = await planGrants(consent, context);
  const { image, provided, warnings } = await planFileImage(config, grants, context, signal);
  const workloads = await context.store.list();
  const earlier = workloads.find(({ name }) => name === config.name)?.config;
  const settled = await settleFile(config, {
    image: provided === undefined ? undefined : { ...provided, notes: [] },
    transports: context.kinds.transports,
    workloads,
    replaced: earlier,
  });
  // If the file needs consent, do not query the issuer that it names.
  await requireUsable(settled, planning, consent === undefined ? signal : undefined);
  const overlays = await planOverlays(settled.config, grants, context, signal);
  const hosted = await planHost(settled.config, context, signal);
  const lifted = describeLiftedSecrets(config);
  const author = authorOfFile(consent);
  const isVirtual = isVirtualServer(config);
  const virtual = isVirtual ? await planMembersOf(config, planning, signal) : undefined;
  return {
    name: config.name,
    target: { form: 'file', named: file, because: '--from-config names a file.', registry: undefined },
    settings: settingsOf(config, settled.config, { file, author }),
    image,
    remote_url: config.remote_url === '' ? undefined : config.remote_url,
    mounts: planMounts(settled.config, context).map((mount) => ({ ...mount, author })),
    hidden: overlays.hidden,
    networks: isVirtual ? undefined : planNetworks(settled.config),
    sessions: isVirtual ? undefined : await planSessions(settled.config, context, signal),
    protections: protectionsOf(settled.config),
    environment: [
      ...planFileVariables(settled.config, author),
      ...(await planAddedVariables(settled.config, context)),
    ],
    secrets: planSecrets(settled.config).map((secret) => ({ ...secret, author })),
    headers: headerNamesOf(settled.config).map((name) => ({ name, author })),
    missing: [],
    changes: earlier === undefined ? undefined : findChanges(earlier, settled.config),
    lost: earlier === undefined ? [] : findLostProtections(earlier, settled.config),
    grants,
    warnings: [
      ...notes,
      ...lifted,
      ...warnings,
      ...overlays.warnings,
      ...hosted,
      ...(virtual?.warnings ?? []),
    ],
    entry_tools: undefined,
    virtual_server: virtual?.virtualServer,
  };
}

async function planMembersOf(
  config: RunConfig,
  planning: MembersPlanning,
  signal: AbortSignal,
): Promise<MembersPlan> {
  const { store, workingDirectory: folder } = planning.context;
  const members = membersIn(config, await store.list());
  return await planMembers({ ...config, members, folder }, planning, signal);
}

/** Throws what a run would throw about ports, secrets and, with `querying`, the token issuer. */
async function requireUsable(
  settled: Awaited<ReturnType<typeof settleFile>>,
  { context }: MembersPlanning,
  querying: AbortSignal | undefined,
): Promise<void> {
  refuseCallbackPort(settled.config);
  await requireOwnSecrets(settled.config, ownerOfRun(settled, context.store));
  if (querying !== undefined) refuseIssuer(await findIssuerProblem(settled.config, context, querying));
}

function planFileVariables(
  { env_vars }: RunConfig,
  author: ReturnType<typeof authorOfFile>,
): RunPlan['environment'] {
  return Object.keys(env_vars).map((name) => ({ name, from: 'file', by: 'env_vars', author }) as const);
}

function headerNamesOf({ header_forward: headers }: RunConfig): readonly string[] {
  return Object.values<object>({ ...headers })
    .flatMap(Object.keys)
    .toSorted();
}

/** Returns a sentence for each secret in clear text that a run would move to the secret store. */
function describeLiftedSecrets(config: RunConfig): readonly string[] {
  return liftSecrets(config).secrets.map(
    ({ place, name }) =>
      `${place} contains a secret in clear text; a run would move it to the secret store, as ${name}.`,
  );
}

/**
 * Returns the image that the file names if the engine has it, otherwise the image of the run target. If the
 * file needs consent, reads no certificate and no build folder that it names.
 */
async function planFileImage(
  config: RunConfig,
  grants: readonly PlannedGrant[],
  context: WorkloadContext,
  signal: AbortSignal,
): Promise<ImagePlan> {
  if (config.remote_url !== '') return await planImage(undefined, context, signal);
  const named: ImageSource = { form: 'image', reference: config.image };
  const isNamed = config.image !== '' && !isReservedImage(config.image);
  const plan = isNamed ? await planImage(named, context, signal) : undefined;
  if (plan !== undefined && plan.image?.is !== 'to be pulled') return plan;
  const missing = grants.filter(({ accepted }) => !accepted);
  if (missing.some(({ kind, setting }) => kind === 'build' && setting === 'run_target')) return UNKNOWN;
  const readable = missing.length > 0 ? { ...config, ca_cert: '' } : config;
  const source = await sourceOfRunTarget(readable, context, signal);
  return source?.form === 'package' || plan === undefined ? await planImage(source, context, signal) : plan;
}

const UNKNOWN: ImagePlan = {
  image: { reference: undefined, digest: undefined, is: 'unknown', build: undefined },
  provided: { reference: '', digest: '', exposedPorts: [], package: undefined },
  warnings: [],
};

const APART = [
  'env_vars',
  'header_forward',
  'secrets',
  'permission_profile',
  'schema_version',
  'image',
  'members',
];

function settingsOf(
  config: RunConfig,
  settled: RunConfig,
  { file, author }: { readonly file: string; readonly author: PlannedSetting['author'] },
): readonly PlannedSetting[] {
  const [inFile, document] = [runConfigDocument(liftSecrets(config).config), runConfigDocument(settled)];
  return Object.entries(document)
    .filter(([name]) => !APART.includes(name))
    .map(([name, value]) => {
      const isOfFile = JSON.stringify(inFile[name]) === JSON.stringify(value);
      return isOfFile
        ? plannedSetting(name, { value, from: 'file', by: file }, author)
        : plannedSetting(name, { value, from: 'rule', by: 'not set in the file' }, 'portolan');
    });
}
