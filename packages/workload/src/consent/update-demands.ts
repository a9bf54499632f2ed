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

/** What a registry entry names for a workload that runs. */
export interface UpdateEntry {
  readonly server: ServerSettings;
  /** Address of the registry. */
  readonly registry: string;
  /** Whether it is a version of what the workload runs, and no other image or package. */
  readonly isSame: boolean;
}

/** Settings whose grants depend on the image; the other grants stay what they are, as the permissions do. */
const OF_IMAGE = /^(?:image|run_target|secrets)\b/;

/**
 * Returns what the newer version of an entry asks for in a workload that keeps its
 * settings: what the workload was started with, for the newer image. All of it is asked
 * where the entry runs another image or package, or another registry has the entry.
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
  const kept = earlier.filter(({ setting }) => !OF_IMAGE.test(setting));
  const replaced = isSameServer ? [] : [replacement(runs, image, name)];
  return {
    asker,
    server,
    demands: { grants: [...replaced, ...kept, ...grants], refusals },
    ...(isCovered ? { given: earlier.map(({ line }) => line) } : {}),
  };
}

/** Another image gets everything that the workload has, also what its user gave to the first image. */
function replacement(runs: string, image: string, workload: string): Grant {
  const line = `runs ${runs} in place of ${image}, with all settings of the workload ${workload}`;
  return { kind: 'setting', line, subject: runs, setting: 'image' };
}
