import type { JsonObject } from '@portolan/plugin-api';
import {
  type MergedSettings,
  type RunConfig,
  type Setting,
  chooseTargetPort,
  liftSecrets,
  toRunConfig,
} from '@portolan/run-spec';
import type { StoredWorkload } from '../../state/workload-store.ts';
import { chooseFreePort, chooseProxyPort, isAnyPort } from './choose-ports.ts';
import type { PreparedRequest } from './prepare-request.ts';
import type { ProvidedImage } from './provide-image.ts';
import type { SettledRun } from './settled-run.ts';

export interface SettleFacts {
  /** Image of the workload; undefined for a remote server. */
  readonly image: Pick<ProvidedImage, 'reference' | 'digest' | 'exposedPorts' | 'package'> | undefined;
  readonly workloads: readonly StoredWorkload[];
  readonly replaced: RunConfig | undefined;
}

export interface SettledRequest extends SettledRun {
  readonly settings: MergedSettings;
  readonly proxyPort: Setting<number>;
  readonly targetPort: Setting<number> | undefined;
}

/** Decides transport and ports, and replaces secrets by references. */
export async function settleRequest(
  prepared: PreparedRequest,
  { image, workloads, replaced }: SettleFacts,
): Promise<SettledRequest> {
  const settings = withTransport(prepared, image?.exposedPorts ?? []);
  const { transport, carries, proxyMode, host } = settings;
  const proxyPort = await chooseProxyPort({
    host: host.value,
    proxyPort: settings.proxyPort,
    workloads,
    replaced,
  });
  const targetPort =
    settings.container === undefined
      ? undefined
      : chooseTargetPort({
          carries,
          ...portsAskedFor(settings.targetPort),
          exposedPorts: image?.exposedPorts ?? [],
          freePort: carries === 'messages' ? 0 : await chooseFreePort(workloads, proxyPort.value),
        });
  const config = toRunConfig(settings, {
    target: withVersion(prepared.target, image?.package),
    image: image?.reference ?? '',
    transport: transport.value,
    proxyMode: proxyMode.value,
    proxyPort: proxyPort.value,
    targetPort: targetPort?.value,
    ...(prepared.entry === undefined ? {} : { registry: prepared.entry.fields }),
  });
  const lifted = liftSecrets(config);
  return {
    config: lifted.config,
    secrets: [...settings.secretsToStore, ...lifted.secrets].map(({ name, value }) => ({ name, value })),
    imageDigest: image?.digest ?? '',
    ...(await publishedIn(prepared.entry?.document)),
    isAnyPort: isAnyPort(proxyPort),
    settings,
    proxyPort,
    targetPort,
  };
}

/** Returns the entry if it publishes definitions, with which the guard compares those of the server. */
async function publishedIn(entry: JsonObject | undefined): Promise<Pick<SettledRun, 'entry'>> {
  if (entry === undefined || entry['_meta'] === undefined) return {};
  // Loaded on demand, because most entries publish none.
  const { takeEntryBaseline } = await import('@portolan/lock');
  return takeEntryBaseline(entry) === undefined ? {} : { entry };
}

type Decided = Required<Pick<MergedSettings, 'transport' | 'carries' | 'proxyMode'>>;
type WithTransport = MergedSettings & { readonly [Key in keyof Decided]: NonNullable<Decided[Key]> };

export function laterWarnings(prepared: PreparedRequest, { settings }: SettledRequest): readonly string[] {
  return settings.warnings.filter((warning) => !prepared.settings.warnings.includes(warning));
}

function withTransport(prepared: PreparedRequest, exposedPorts: readonly number[]): WithTransport {
  const settings =
    prepared.settings.transport === undefined ? prepared.withExposedPorts(exposedPorts) : prepared.settings;
  const { transport, carries, proxyMode } = settings;
  if (transport === undefined || carries === undefined || proxyMode === undefined) {
    throw new TypeError('no transport was chosen for an image with known ports');
  }
  return { ...settings, transport, carries, proxyMode };
}

function portsAskedFor(port: Setting<number> | undefined): {
  readonly flag: number | undefined;
  readonly registry: number | undefined;
} {
  return {
    flag: port?.from === 'flag' ? port.value : undefined,
    registry: port?.from === 'flag' ? undefined : port?.value,
  };
}

/** Keeps the built version, so that another machine builds the same. */
function withVersion(
  target: PreparedRequest['target'],
  built: ProvidedImage['package'],
): PreparedRequest['target'] {
  return target.from === 'scheme' && built !== undefined ? { ...target, reference: built } : target;
}
