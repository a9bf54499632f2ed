import { LineCounter, parseDocument } from 'yaml';
import { FORMULA } from '../digest/definition-digest.ts';
import { DATE, DIGEST, INTEGRITY, isWorkloadName, PLAIN_TEXT, type TextRule } from './field-checks.ts';
import { badLockFile } from './lock-file-errors.ts';
import {
  LOCK_FILE_VERSION,
  type LockedEntry,
  type LockedItem,
  type LockedServer,
  type LockedWorkload,
  type LockFile,
  type Resolved,
  type Signer,
} from './lock-file.ts';
import { type Field, type Fields, YamlFields } from './yaml-fields.ts';

const ANY_TEXT: TextRule = { expected: 'a text', isValid: () => true };
const ITEM_LISTS = ['tools', 'prompts', 'templates'] as const;

/**
 * Parses a lock file. `file` is its path for messages, and `contents` the folder that the file must name. Throws
 * ERR_LOCK_FILE with every problem, its line and its column.
 */
export function parseLockFile(text: string, file: string, contents: string): LockFile {
  const lines = new LineCounter();
  const reader = new YamlFields(lines);
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: true });
  const conflict = /^(?:<{7}|={7}|>{7})(?: |\r?$)/m.exec(text);
  if (conflict !== null)
    reader.report(conflict.index, 'found a conflict of a merge; expected a resolved file');
  else
    for (const { pos, code } of [...document.errors, ...document.warnings])
      reader.report(pos[0], sentenceOf(code));
  if (reader.problems.length > 0) throw badLockFile(file, reader.problems);
  const fields = reader.map(
    document.contents,
    { path: '', start: 0 },
    { required: ['version', 'formula', 'workloads', 'contents'] },
  );
  reader.number(fields.get('version'), LOCK_FILE_VERSION);
  reader.number(fields.get('formula'), FORMULA);
  reader.text(fields.get('contents'), { expected: `"${contents}"`, isValid: (name) => name === contents });
  const workloads = readWorkloads(reader, fields.get('workloads'));
  if (reader.problems.length > 0) throw badLockFile(file, reader.problems);
  return { version: LOCK_FILE_VERSION, formula: FORMULA, workloads };
}

function sentenceOf(code: string): string {
  if (code === 'DUPLICATE_KEY') return 'found a key twice in one map; expected it once';
  if (code === 'MULTIPLE_DOCS') return 'found a second document; expected one';
  return 'found text that is no valid YAML; expected YAML 1.2';
}

function readWorkloads(reader: YamlFields, field: Field | undefined): ReadonlyMap<string, LockedWorkload> {
  const workloads = new Map<string, LockedWorkload>();
  if (field === undefined || isEmpty(field)) return workloads;
  for (const workload of reader.map(field.value, field).values()) {
    if (!isWorkloadName(workload.name))
      reader.report(
        workload.start,
        `${workload.path}: found another name; expected letters, digits, ".", "_" and "-"`,
      );
    workloads.set(workload.name, readWorkload(reader, workload));
  }
  return workloads;
}

/** Returns whether a field has no value: a lock file without workloads has a key without a value. */
function isEmpty({ value }: Field): boolean {
  return value === null || (typeof value === 'object' && 'value' in value && value.value === null);
}

function readWorkload(reader: YamlFields, field: Field): LockedWorkload {
  const fields = reader.map(field.value, field, {
    required: ['source', 'server', ...ITEM_LISTS],
    optional: ['resolved', 'entry', 'signer', 'profile'],
  });
  return {
    source: reader.text(fields.get('source'), PLAIN_TEXT) ?? '',
    resolved: readResolved(reader, fields.get('resolved')),
    entry: readEntry(reader, fields.get('entry')),
    signer: readSigner(reader, fields.get('signer')),
    server: readServer(reader, fields.get('server')),
    profile: reader.text(fields.get('profile'), DIGEST),
    tools: readItems(reader, fields.get('tools')),
    prompts: readItems(reader, fields.get('prompts')),
    templates: readItems(reader, fields.get('templates')),
  };
}

function readResolved(reader: YamlFields, field: Field | undefined): Resolved | undefined {
  if (field === undefined) return undefined;
  const all = reader.map(field.value, field);
  if (all.has('image')) {
    const fields = reader.map(field.value, field, { required: ['image', 'digest'] });
    return { image: textIn(reader, fields, 'image'), digest: textIn(reader, fields, 'digest', DIGEST) };
  }
  const fields = reader.map(field.value, field, { required: ['package', 'version', 'integrity'] });
  return {
    package: textIn(reader, fields, 'package'),
    version: textIn(reader, fields, 'version'),
    integrity: textIn(reader, fields, 'integrity', INTEGRITY),
  };
}

function readEntry(reader: YamlFields, field: Field | undefined): LockedEntry | undefined {
  if (field === undefined) return undefined;
  const fields = reader.map(field.value, field, { required: ['registry', 'name', 'version', 'digest'] });
  return {
    registry: textIn(reader, fields, 'registry'),
    name: textIn(reader, fields, 'name'),
    version: textIn(reader, fields, 'version'),
    digest: textIn(reader, fields, 'digest', DIGEST),
  };
}

function readSigner(reader: YamlFields, field: Field | undefined): Signer | undefined {
  if (field === undefined) return undefined;
  const fields = reader.map(field.value, field, { required: ['issuer', 'identity'] });
  return { issuer: textIn(reader, fields, 'issuer'), identity: textIn(reader, fields, 'identity') };
}

function readServer(reader: YamlFields, field: Field | undefined): LockedServer {
  if (field === undefined) return { revisions: [], capabilities: '' };
  const fields = reader.map(field.value, field, {
    required: ['revisions', 'capabilities'],
    optional: ['name', 'version', 'instructions'],
  });
  return {
    name: reader.text(fields.get('name'), ANY_TEXT),
    version: reader.text(fields.get('version'), ANY_TEXT),
    revisions: reader.texts(fields.get('revisions'), PLAIN_TEXT),
    capabilities: textIn(reader, fields, 'capabilities', DIGEST),
    instructions: reader.text(fields.get('instructions'), DIGEST),
  };
}

function readItems(reader: YamlFields, field: Field | undefined): ReadonlyMap<string, LockedItem> {
  const items = new Map<string, LockedItem>();
  if (field === undefined) return items;
  for (const item of reader.map(field.value, field).values()) {
    const fields = reader.map(item.value, item, { required: ['digest', 'approved'], optional: ['by'] });
    items.set(item.name, {
      digest: textIn(reader, fields, 'digest', DIGEST),
      approved: textIn(reader, fields, 'approved', DATE),
      by: reader.text(fields.get('by'), PLAIN_TEXT),
    });
  }
  return items;
}

/** Returns a required text; an empty one after a problem, which ends the parsing. */
function textIn(reader: YamlFields, fields: Fields, key: string, rule: TextRule = PLAIN_TEXT): string {
  return reader.text(fields.get(key), rule) ?? '';
}
