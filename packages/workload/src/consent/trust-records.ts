import { createHash } from 'node:crypto';
import { workloadOf } from '../state/member-name.ts';
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

/**
 * Records the grants of a workload, or of a member of a virtual server, `WORKLOAD/MEMBER`. A request without
 * grants removes its earlier record. That of a workload removes the records of its members as well.
 */
export async function recordWorkload(
  workload: string,
  request: ConsentRequest | undefined,
  { directories }: TrustContext,
): Promise<void> {
  const { workloads } = await readTrust(directories);
  const grants = request?.demands.grants ?? [];
  if (grants.length === 0 && !workloads.some((one) => isWithin(one, workload))) return;
  await changeTrust(directories, (trust) => {
    const others = trust.workloads.filter((one) => !isWithin(one, workload));
    const own =
      request === undefined || grants.length === 0
        ? []
        : [{ ...request.asker, workload, server: request.server ?? '', grants, isAccepted: true }];
    return { ...trust, workloads: [...others, ...own] };
  });
}

/** Returns whether the record is that of the workload or of one of its members. */
function isWithin({ workload: recorded }: WorkloadGrants, workload: string): boolean {
  return recorded === workload || workloadOf(recorded) === workload;
}

/**
 * Asks for consent before a workload starts, if the user has revoked the consent of the workload or of its
 * members. Throws like `requireConsent`.
 */
export async function requireWorkloadConsent(
  workload: string,
  context: TrustContext,
  options: ConsentOptions,
  signal: AbortSignal,
): Promise<void> {
  const { workloads } = await readTrust(context.directories);
  for (const record of workloads.filter((one) => isWithin(one, workload) && !one.isAccepted)) {
    const { author, origin, name, server, grants } = record;
    const request = { asker: { author, origin, name }, server, demands: { grants, refusals: [] } };
    await requireConsent(request, context, options, signal);
    await recordWorkload(record.workload, request, context);
  }
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
    const named = trust.workloads.filter((one) => isWithin(one, name));
    const accepted = trust.accepted.filter(
      (one) => one.name === name || one.origin === name || named.some((own) => isSameAsker(one, own)),
    );
    const isRevoked = (one: TrustRecord['workloads'][number]): boolean =>
      one.isAccepted &&
      (isWithin(one, name) || one.name === name || accepted.some((own) => isSameAsker(one, own)));
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
  if (workload === name || workloads.some((own) => isWithin(own, workload))) return true;
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
    const isRevoked = trust.workloads.some((one) => isWithin(one, workload) && !one.isAccepted);
    const others = trust.exportedFiles.filter((known) => known.digest !== digest);
    if (isRevoked) return { ...trust, exportedFiles: others };
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
