import type { Resolved } from '@portolan/lock';
import { isReservedImage } from '@portolan/outbound';
import { classifyTarget, formatPackage, parsePackage, type RunConfig } from '@portolan/run-spec';
import { BUILT_LABELS } from '../../../build/images/image-labels.ts';
import { findIntegrity, type IndexRequest } from '../../../build/newest-version.ts';
import type { WorkloadContext } from '../../../workload-context.ts';

/**
 * Returns the package that a workload runs, with its hash from the index. A package that the lock already has is not
 * looked up again. Undefined for other workloads, for a folder, and where the index has no hash.
 */
export async function findPackageIntegrity(
  config: RunConfig,
  locked: Resolved | undefined,
  context: WorkloadContext,
  signal: AbortSignal,
): Promise<Resolved | undefined> {
  const runs = await findRunningPackage(config, context, signal);
  if (runs === undefined) return undefined;
  const { name, version = '' } = runs.reference;
  if (locked !== undefined && 'package' in locked && locked.package === name && locked.version === version)
    return locked;
  const integrity = await findIntegrity(runs, context, signal);
  return integrity === undefined ? undefined : { package: name, version, integrity };
}

async function findRunningPackage(
  config: RunConfig,
  context: WorkloadContext,
  signal: AbortSignal,
): Promise<IndexRequest | undefined> {
  const text = await packageTextOf(config, context, signal);
  const { schemes } = context.kinds;
  if (text === undefined) return undefined;
  const { target } = classifyTarget({ argument: text, fromConfig: undefined, schemes });
  if (target.from !== 'scheme' || target.reference.from !== 'index') return undefined;
  const caCert = config.ca_cert === '' ? context.user.caCertificatePath : config.ca_cert;
  return { scheme: target.scheme, reference: target.reference, caCert };
}

/** Returns the package as `SCHEME://NAME@VERSION`: of the run target, or of the image that was built for an entry. */
async function packageTextOf(
  { run_target: target, image, remote_url: url }: RunConfig,
  { kinds }: WorkloadContext,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (target.includes('://') && url === '') return target;
  if (!isReservedImage(image)) return undefined;
  const opened = await kinds.openRuntime();
  if (opened.runs === 'workloads') return undefined;
  const labels = (await opened.engine.inspectImage(image, signal))?.labels ?? {};
  const [scheme, name, version] = [BUILT_LABELS.scheme, BUILT_LABELS.package, BUILT_LABELS.version].map(
    (label) => labels[label] ?? '',
  );
  if (!scheme || !name || !version) return undefined;
  const packages = kinds.schemes.get(scheme);
  if (packages === undefined) return undefined;
  const reference = parsePackage(name, packages);
  return `${scheme}://${formatPackage({ ...reference, ...(reference.from === 'index' ? { version, pinned: true } : {}) })}`;
}
