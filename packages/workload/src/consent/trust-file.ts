import path from 'node:path';
import { FieldReader, type Grant, GRANT_KINDS, isJsonObject, ownMembers, readJson } from '@portolan/run-spec';
import type { Directories } from '../state/directories.ts';
import { readText } from '../state/state-files.ts';
import { changeFile, emptyFault } from '../state/user-config/change-file.ts';
import { trustDamaged } from './consent-errors.ts';

/** Registry entry or file whose settings need the user's consent. */
export interface Asker {
  readonly author: 'entry' | 'file';
  /** URL of the registry, or digest of the file. */
  readonly origin: string;
  /** Name of the entry, or path of the file. */
  readonly name: string;
}

/** Grants that the user accepted for every run of an entry or file. */
export interface AcceptedGrants extends Asker {
  /** Image or package without its version; empty for files and remote servers. */
  readonly server: string;
  readonly grants: readonly string[];
}

/** Grants with which a workload was started. */
export interface WorkloadGrants extends Asker {
  readonly workload: string;
  readonly server: string;
  readonly grants: readonly Grant[];
  /** Whether the consent is valid; false after the user revoked it. */
  readonly isAccepted: boolean;
}

/** File that `portolan export` wrote. */
export interface ExportedFile {
  readonly digest: string;
  readonly workload: string;
  /**
   * Consent with which the exported workload was started. Undefined when the user configured that workload on
   * the command line, which needs no consent.
   */
  readonly consent?: Asker & { readonly server: string; readonly grants: readonly Grant[] };
}

export interface TrustRecord {
  readonly accepted: readonly AcceptedGrants[];
  readonly workloads: readonly WorkloadGrants[];
  /** Exported files, oldest first. */
  readonly exportedFiles: readonly ExportedFile[];
}

type TrustDirectories = Pick<Directories, 'groups' | 'runConfigs'>;

const EMPTY: TrustRecord = { accepted: [], workloads: [], exportedFiles: [] };

const MAX_EXPORTS = 10_000;

/** Reads the accepted grants. Throws ERR_STATE_DAMAGED and ERR_STATE_INACCESSIBLE. */
export async function readTrust(directories: TrustDirectories): Promise<TrustRecord> {
  const file = trustFile(directories);
  return parseTrust(await readText(file), file);
}

/** Changes the accepted grants under a lock against other processes. Throws like `readTrust`. */
export async function changeTrust(
  directories: TrustDirectories,
  change: (trust: TrustRecord) => TrustRecord,
): Promise<void> {
  const file = trustFile(directories);
  const edit = async (content: Buffer | undefined): Promise<string | undefined> => {
    const before = parseTrust(content?.toString('utf8'), file);
    const after = change(before);
    const isSame = JSON.stringify(after) === JSON.stringify(before);
    return await Promise.resolve(isSame ? undefined : formatTrust(after));
  };
  await changeFile(directories, file, edit, undefined, { keepsBackup: true });
}

export function isSameAsker(one: Asker, other: Asker): boolean {
  if (one.author !== other.author || one.origin !== other.origin) return false;
  return one.author === 'file' || one.name === other.name;
}

function trustFile({ runConfigs }: TrustDirectories): string {
  return path.join(path.dirname(runConfigs), 'trust.json');
}

function formatTrust({ accepted, workloads, exportedFiles }: TrustRecord): string {
  const document = { format: 1, accepted, workloads, exportedFiles: exportedFiles.slice(-MAX_EXPORTS) };
  return `${JSON.stringify(document, undefined, 2)}\n`;
}

function parseTrust(text: string | undefined, file: string): TrustRecord {
  if (text === undefined) return EMPTY;
  if (text === '') throw trustDamaged(file, emptyFault(file));
  const reading = readJson(text);
  if ('fault' in reading) throw trustDamaged(file, reading.fault);
  if (!isJsonObject(reading.value)) throw trustDamaged(file, 'it is not a map');
  const fields = new FieldReader('');
  const map = ownMembers(reading.value);
  const record: TrustRecord = {
    accepted: fields.objects(map, 'accepted').map((item, index) => {
      const at = `accepted[${index}]`;
      return {
        ...readAsker(fields, item, at),
        server: fields.text(item, 'server', at),
        grants: fields.texts(item, 'grants', at),
      };
    }),
    workloads: fields.objects(map, 'workloads').map((item, index) => {
      const at = `workloads[${index}]`;
      return {
        ...readAsker(fields, item, at),
        workload: fields.text(item, 'workload', at),
        server: fields.text(item, 'server', at),
        grants: readGrants(fields, item, at),
        isAccepted: fields.truth(item, 'isAccepted', at),
      };
    }),
    exportedFiles: fields
      .objects(map, 'exportedFiles')
      .map((item, index) => readExported(fields, item, `exportedFiles[${index}]`)),
  };
  if (fields.problems.length > 0) throw trustDamaged(file, fields.problems.join('; '));
  return record;
}

type Item = ReturnType<FieldReader['objects']>[number];

function readAsker(fields: FieldReader, item: Item, at: string): Asker {
  const author = fields.text(item, 'author', at);
  if (author !== 'entry' && author !== 'file') fields.problem(`${at}.author`, author, 'entry or file');
  return {
    author: author === 'file' ? 'file' : 'entry',
    origin: fields.text(item, 'origin', at),
    name: fields.text(item, 'name', at),
  };
}

function readExported(fields: FieldReader, item: Item, at: string): ExportedFile {
  const file = { digest: fields.text(item, 'digest', at), workload: fields.text(item, 'workload', at) };
  const of = item['consent'];
  if (of === undefined) return file;
  const place = `${at}.consent`;
  const consent = fields.map(of, place);
  return {
    ...file,
    consent: {
      ...readAsker(fields, consent, place),
      server: fields.text(consent, 'server', place),
      grants: readGrants(fields, consent, place),
    },
  };
}

function readGrants(fields: FieldReader, item: Item, at: string): readonly Grant[] {
  return fields.objects(item, 'grants', at).map((grant) => readGrant(fields, grant, at));
}

function readGrant(fields: FieldReader, item: Item, at: string): Grant {
  const kind = fields.text(item, 'kind', at);
  const destination = fields.text(item, 'destination', at);
  return {
    kind: GRANT_KINDS.find((known) => known === kind) ?? 'setting',
    line: fields.text(item, 'line', at),
    subject: fields.text(item, 'subject', at),
    ...(destination === '' ? {} : { destination }),
    setting: fields.text(item, 'setting', at),
  };
}
