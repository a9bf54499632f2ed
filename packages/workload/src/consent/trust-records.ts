import { createHash } from 'node:crypto';
import type { WorkloadContext } from '../workload-context.ts';
import { trustUnknown } from './consent-errors.ts';
import { type ConsentOptions, type ConsentRequest, requireConsent } from './require-consent.ts';
import {
  type Asker,
  changeTrust,
  type ExportedFile,
  isSameAsker,
  readTrust,
  type TrustRecord,
  type WorkloadGrants,
} from './trust-file.ts';

type TrustContext = Pick<WorkloadContext, 'directories' | 'user' | 'clock'>;

/** Records the grants of a workload. A request without grants removes its earlier record. */
export async function recordWorkload(
  workload: string,
  request: ConsentRequest | undefined,
  { directories }: TrustContext,
): Promise<void> {
  const { workloads } = await readTrust(directories);
  const grants = request?.demands.grants ?? [];
  if (grants.length === 0 && !workloads.some((one) => one.workload === workload)) return;
  await changeTrust(directories, (trust) => {
    const others = trust.workloads.filter((one) => one.workload !== workload);
    const own =
      request === undefined || grants.length === 0
        ? []
        : [{ ...request.asker, workload, server: request.server ?? '', grants, isAccepted: true }];
    return { ...trust, workloads: [...others, ...own] };
  });
}

/**
 * Asks for consent before a workload starts, if the user has revoked the workload's consent. Throws like
 * `requireConsent`.
 */
export async function requireWorkloadConsent(
  workload: string,
  context: TrustContext,
  options: ConsentOptions,
  signal: AbortSignal,
): Promise<void> {
  const { workloads } = await readTrust(context.directories);
  const record = workloads.find((one) => one.workload === workload);
  if (record === undefined || record.isAccepted) return;
  const { author, origin, name, server, grants } = record;
  const request = { asker: { author, origin, name }, server, demands: { grants, refusals: [] } };
  await requireConsent(request, context, options, signal);
  await recordWorkload(workload, request, context);
}

/** Returns all accepted grants. Throws ERR_STATE_DAMAGED. */
export async function listTrust({ directories }: Pick<TrustContext, 'directories'>): Promise<TrustRecord> {
  return await readTrust(directories);
}

/**
 * Revokes the consent for a registry entry, a file (by path or digest) or a workload. Returns the revoked
 * grants, which a running workload keeps until its next start. Files that were exported before the revocation
 * need consent again. Throws ERR_NAME_UNKNOWN.
 */
export async function revokeTrust(
  name: string,
  { directories }: Pick<TrustContext, 'directories'>,
): Promise<readonly string[]> {
  const lines = new Set<string>();
  await changeTrust(directories, (trust) => {
    const named = trust.workloads.filter(({ workload }) => workload === name);
    const accepted = trust.accepted.filter(
      (one) => one.name === name || one.origin === name || named.some((own) => isSameAsker(one, own)),
    );
    const isRevoked = (one: TrustRecord['workloads'][number]): boolean =>
      one.isAccepted &&
      (one.workload === name || one.name === name || accepted.some((own) => isSameAsker(one, own)));
    const workloads = trust.workloads.filter(isRevoked);
    const exported = trust.exportedFiles.filter((file) =>
      isExportOf(file, { name, askers: [...named, ...accepted, ...workloads], workloads }),
    );
    for (const { grants } of accepted) for (const line of grants) lines.add(line);
    for (const { grants } of workloads) for (const { line } of grants) lines.add(line);
    for (const { workload } of exported) lines.add(`runs exported files of ${workload} without asking`);
    return {
      accepted: trust.accepted.filter((one) => !accepted.includes(one)),
      workloads: trust.workloads.map((one) => (isRevoked(one) ? { ...one, isAccepted: false } : one)),
      exportedFiles: trust.exportedFiles.filter((file) => !exported.includes(file)),
    };
  });
  if (lines.size === 0) throw trustUnknown(name);
  return [...lines];
}

function isExportOf(
  { workload, consent }: ExportedFile,
  {
    name,
    askers,
    workloads,
  }: {
    readonly name: string;
    readonly askers: readonly Asker[];
    readonly workloads: readonly WorkloadGrants[];
  },
): boolean {
  if (workload === name || workloads.some((own) => own.workload === workload)) return true;
  if (consent === undefined) return false;
  return (
    consent.name === name || consent.origin === name || askers.some((asker) => isSameAsker(asker, consent))
  );
}

/**
 * Records the digest of an exported workload, so that the unchanged file needs no consent. Skips a workload
 * whose consent was revoked.
 */
export async function recordExport(
  workload: string,
  text: string,
  { directories }: Pick<TrustContext, 'directories'>,
): Promise<void> {
  const digest = digestOf(text);
  await changeTrust(directories, (trust) => {
    const record = trust.workloads.find((one) => one.workload === workload);
    const others = trust.exportedFiles.filter((known) => known.digest !== digest);
    if (record?.isAccepted === false) return { ...trust, exportedFiles: others };
    const file = { digest, workload, ...(record === undefined ? {} : { consent: consentIn(record) }) };
    return { ...trust, exportedFiles: [...others, file] };
  });
}

function consentIn({
  author,
  origin,
  name,
  server,
  grants,
}: WorkloadGrants): NonNullable<ExportedFile['consent']> {
  return { author, origin, name, server, grants };
}

/** Returns the record of an unchanged file that was exported on this machine. Throws ERR_STATE_DAMAGED. */
export async function findOwnFile(
  text: string,
  { directories }: Pick<TrustContext, 'directories'>,
): Promise<ExportedFile | undefined> {
  const digest = digestOf(text);
  return (await readTrust(directories)).exportedFiles.find((file) => file.digest === digest);
}

export function digestOf(text: string): string {
  return `sha256:${createHash('sha256').update(text).digest('hex')}`;
}
