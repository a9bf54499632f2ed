import {
  findEntryDemands,
  type Grant,
  nameServer,
  type RunConfig,
  describeForm,
  type ServerSettings,
} from '@portolan/run-spec';
import type { WorkloadContext } from '../workload-context.ts';
import { consentFacts } from './consent-facts.ts';
import type { ConsentRequest } from './require-consent.ts';
import { resolveDemands } from './resolve-demands.ts';
import { isSameAsker, readTrust } from './trust-file.ts';

export interface UpdateEntry {
  readonly server: ServerSettings;
  readonly registry: string;
  /** Whether the entry still names the workload's image or package, at any version. */
  readonly isSame: boolean;
}

/** Matches settings whose grants depend on the image. An update keeps the grants of all other settings. */
const OF_IMAGE = /^(?:image|run_target|secrets)\b/;

/**
 * Returns the grants that a workload needs after an update to the newer version of its registry entry. They
 * include the workload's earlier grants. If the image, the package or the registry differs, the user must
 * accept all of them again.
 */
export async function demandsOfUpdate(
  { name, image }: RunConfig,
  { server: settings, registry, isSame }: UpdateEntry,
  context: WorkloadContext,
  signal: AbortSignal,
): Promise<ConsentRequest> {
  const record = (await readTrust(context.directories)).workloads.find((one) => one.workload === name);
  const asker = { author: 'entry', origin: registry, name: settings.server } as const;
  const earlier = record?.grants ?? [];
  const runs = describeForm(settings.runs);
  const server = nameServer(runs);
  const secrets = earlier
    .filter(({ setting, kind }) => kind === 'secret' && OF_IMAGE.test(setting))
    .map(({ subject }) => subject);
  const use = {
    server: settings,
    usesPermissions: false,
    usesNetworkMode: false,
    url: undefined,
    login: {},
    secrets,
    volumes: [],
  };
  const { grants, refusals } = await resolveDemands(
    (addressesOf) => findEntryDemands(use, consentFacts(context, name, addressesOf)),
    context,
    signal,
  );
  const isSameServer = isSame && (record === undefined || record.server === '' || record.server === server);
  const isCovered = record?.isAccepted === true && isSameServer && isSameAsker(record, asker);
  const remainingEarlier = earlier.filter(({ setting }) => !OF_IMAGE.test(setting));
  const replaced = isSameServer ? [] : [replacement(runs, image, name)];
  return {
    asker,
    server,
    demands: { grants: [...replaced, ...remainingEarlier, ...grants], refusals },
    ...(isCovered ? { accepted: earlier.map(({ line }) => line) } : {}),
  };
}

/** Returns the grant for running a different image with all settings of the workload. */
function replacement(runs: string, image: string, workload: string): Grant {
  const line = `runs ${runs} in place of ${image}, with all settings of the workload ${workload}`;
  return { kind: 'setting', line, subject: runs, setting: 'image' };
}
