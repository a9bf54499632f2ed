import { serverSchemaAddress } from '@portolan/entry-format';
import { isPortolanError, type JsonObject } from '@portolan/plugin-api';
import { expect } from 'chai';
import { OLDER_NAMES } from '../../../packages/entry-format/src/document/modernize-server-document.ts';
import { parseProvenance } from '../../../packages/image-verification/src/provenance.ts';
import { describeServer } from '../../../packages/registry-client/src/lookup/describe-server.ts';
import { previewEntryDemands } from '../../../packages/run-spec/src/consent/entry-demands.ts';
import { ENTRY_FIELDS, REMOVED_FIELDS } from '../../../packages/run-spec/src/registry-entry/entry-fields.ts';
import { findMissingInputs } from '../../../packages/run-spec/src/registry-entry/fill-server-settings.ts';
import { readServerSettings } from '../../../packages/run-spec/src/registry-entry/read-server-settings.ts';
import type { ServerSettings } from '../../../packages/run-spec/src/registry-entry/server-settings.ts';
import { entryAuth } from '../../../packages/run-spec/src/settings/entry-auth.ts';
import { runtimeArgumentRefused } from '../../../packages/run-spec/src/settings/settings-errors.ts';
import { resolveInputs } from '../../../packages/workload/src/run/steps/read/resolve-inputs.ts';
import { documentPath, DOCUMENTS, URL_TEXT, withField } from './entry-field-rows.ts';

/** Changes of a document: values by path of the table. */
type Changes = Readonly<Record<string, unknown>>;

interface Sample {
  readonly changes: Changes;
  /** Value of every input. The default is `x`. Null means that none has a value. */
  readonly answer?: string | null;
}

const parentOf = (path: string): string => path.replace(/\.[^.]+(?:\.\*)?$/, '');

/** Further changes without which the reader ignores the field of a variable or of a runtime argument. */
function around(path: string): Changes {
  const parent = parentOf(path);
  if (parent === 'remotes.*.variables.*') return { 'remotes.*.url': `${URL_TEXT}?v={V}` };
  if (parent.endsWith('.variables.*')) {
    const holder = parentOf(parent);
    return { [`${holder}.value`]: 'A={V}', [`${holder}.isRequired`]: false };
  }
  return parent === 'packages.*.runtimeArguments.*' ? { [`${parent}.value`]: undefined } : {};
}

/** Sample values of the fields of every input, by the end of the path. */
function sampleOfInput(path: string, kind: 'refused' | 'leftOut'): Sample | undefined {
  const field = path.replace(/\.\*$/, '').split('.').at(-1) ?? '';
  const changes = (value: unknown): Changes => ({ ...around(path), [path]: value });
  switch (`${kind} ${field}`) {
    case 'refused isRequired':
      return { changes: changes(true), answer: null };
    case 'refused format':
      return { changes: changes('number'), answer: 'abc' };
    case 'refused choices':
      return { changes: changes(['a', 'b']), answer: 'c' };
    case 'leftOut value':
      return { changes: { [`${parentOf(path)}.isRequired`]: false, [path]: 'A=in {open}' } };
    case 'leftOut default':
    case 'refused default':
      return { changes: changes('in {open}') };
    case 'leftOut isRepeated':
      return { changes: { [path]: true } };
    default:
      return undefined;
  }
}

const IMAGE_DOCUMENT: JsonObject = DOCUMENTS[0] ?? {};

/** Sample values of all other fields. */
const SAMPLES: Readonly<Record<string, Sample>> = {
  'refused packages.*.registryType': { changes: { 'packages.*.registryType': 'nuget' } },
  'leftOut packages.*.registryType': {
    changes: {
      packages: [...packagesOf(IMAGE_DOCUMENT), { registryType: 'nuget', identifier: 'Acme.Notes' }],
    },
  },
  'leftOut packages.*.registryBaseUrl': {
    changes: { 'packages.*.registryBaseUrl': 'https://npm.acme.example' },
  },
  'refused packages.*.identifier': { changes: { 'packages.*.identifier': 'Not An Image' } },
  'leftOut packages.*.version': { changes: { 'packages.*.version': '2.0.0' } },
  'leftOut packages.*.fileSha256': { changes: { 'packages.*.fileSha256': 'a'.repeat(64) } },
  'leftOut packages.*.runtimeHint': { changes: { 'packages.*.runtimeHint': 'bunx' } },
  'leftOut packages.*.transport.type': { changes: { 'packages.*.transport.type': 'Pigeon Post' } },
  'refused packages.*.transport.url': {
    changes: { 'packages.*.transport.url': 'http://localhost:80/health' },
  },
  'leftOut packages.*.transport.url': {
    changes: { 'packages.*.transport.url': 'http://mcp.acme.example:80/mcp' },
  },
  'refused packages.*.transport.headers.*.isRequired': {
    changes: { 'packages.*.transport.type': 'stdio', 'packages.*.transport.headers.*.isRequired': true },
  },
  'leftOut packages.*.transport.headers.*.name': {
    changes: {
      'packages.*.transport.type': 'stdio',
      'packages.*.transport.headers.*.isRequired': false,
      'packages.*.transport.headers.*.name': 'X-Key',
    },
  },
  'refused packages.*.runtimeArguments.*.name': {
    changes: { 'packages.*.runtimeArguments.*.name': '--gpus', 'packages.*.runtimeArguments.*.value': 'all' },
  },
  'leftOut packages.*.runtimeArguments.*.name': {
    changes: {
      'packages.*.runtimeArguments.*.name': '--gpus',
      'packages.*.runtimeArguments.*.value': 'all',
      'packages.*.runtimeArguments.*.isRequired': false,
    },
  },
  'refused packages.*.runtimeArguments.*.isSecret': {
    changes: {
      'packages.*.runtimeArguments.*.isSecret': true,
      'packages.*.runtimeArguments.*.value': undefined,
    },
  },
  'refused remotes.*.url': { changes: { 'remotes.*.url': 'https://mcp.acme.example/{u}' }, answer: '{x}' },
  'leftOut remotes.*.url': {
    changes: {
      remotes: [
        { type: 'sse', url: URL_TEXT },
        { type: 'sse', url: 'https://two.acme.example' },
      ],
    },
  },
  'leftOut _meta.publisher.args.*': { changes: { '_meta.publisher.args': ['x'] } },
  'leftOut _meta.publisher.transport': { changes: { '_meta.publisher.transport': 'sse' } },
  'leftOut _meta.publisher.proxy_port': { changes: { '_meta.publisher.proxy_port': 8080 } },
  'leftOut _meta.publisher.env_vars.*.name': { changes: { '_meta.publisher.env_vars.*.name': 'KEY' } },
  'refused _meta.publisher.permissions.privileged': {
    changes: { '_meta.publisher.permissions.privileged': true },
  },
  'refused _meta.publisher.permissions.network.mode': {
    changes: { '_meta.publisher.permissions.network.mode': 'host' },
  },
};

function packagesOf(document: JsonObject): readonly unknown[] {
  return Array.isArray(document['packages']) ? document['packages'] : [];
}

/** Returns all messages of a run about a document: notes, warnings and refusals, or its error. */
async function linesOf(document: JsonObject, answer: string | null): Promise<readonly string[]> {
  try {
    const server = readServerSettings(document);
    const blocked = server.runtime.blockers.map(
      (blocker) => runtimeArgumentRefused(server.server, blocker).message,
    );
    const refusals = previewEntryDemands(server).refusals.map(
      ({ setting, found, because }) => `${setting}: ${found}; ${because}`,
    );
    const said = [...server.notes, ...blocked, ...refusals];
    return [...said, ...(await answersOf(server, answer))];
  } catch (error) {
    if (isPortolanError(error)) return [error.message];
    throw error;
  }
}

async function answersOf(server: ServerSettings, answer: string | null): Promise<readonly string[]> {
  const nothing = { values: new Map(), secrets: new Set<string>(), hasArguments: false };
  const missing = answer === null ? [] : findMissingInputs(server, nothing);
  const setting = { value: answer ?? '', from: 'flag', by: '--env' } as const;
  const environment = new Map(missing.map(({ name }) => [name, setting] as const));
  const sources = { findSecret: async () => undefined, ask: undefined, unanswered: 'refused' } as const;
  const request = { target: server.server, args: [], flags: {} };
  try {
    return (await resolveInputs(server, request, environment, sources)).warnings;
  } catch (error) {
    if (isPortolanError(error)) return [error.message];
    throw error;
  }
}

function changed(document: JsonObject, changes: Changes): JsonObject {
  const all = Object.entries(changes).reduce<unknown>(
    (before, [path, value]) => withField(before, documentPath(path), value),
    document,
  );
  // SAFETY: a changed member does not change the type of the object.
  return all as JsonObject;
}

/** Returns the documents for the changes: with packages or with remotes. */
function documentsFor(changes: Changes): readonly JsonObject[] {
  const parts = Object.keys(changes).map((path) => path.split('.')[0] ?? '');
  return DOCUMENTS.filter((document) => parts.every((part) => part === '_meta' || part in document));
}

/** Returns the quoted line of a row as a pattern. Words in capitals and `…` match anything. */
function patternOf(text: string): RegExp {
  const quoted = [...text.matchAll(/`([^`]+)`/g)].map(([, line = '']) => line);
  const longest = quoted.toSorted((one, other) => other.length - one.length)[0] ?? text;
  const pattern = longest
    .replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)
    .replaceAll(/…|\b(?:NAME|TYPES|URL|[A-Z])\b/g, '.+');
  return new RegExp(pattern);
}

const SNAKE_CASE_SCHEMA = serverSchemaAddress('2025-07-09');

function removeUndefined(document: JsonObject): JsonObject {
  // SAFETY: the JSON of an object parses to an object.
  return JSON.parse(JSON.stringify(document)) as JsonObject;
}

/** Returns everything that is read of a document. */
function readingOf(document: JsonObject): string {
  try {
    const settings = readServerSettings(document);
    const described = describeServer({ document, status: 'active', statusMessage: undefined });
    return JSON.stringify([
      settings,
      entryAuth(settings.oauthConfig, {}),
      parseProvenance(settings.provenance),
      described,
    ]);
  } catch (error) {
    if (isPortolanError(error)) return error.message;
    throw error;
  }
}

const VALUES: readonly unknown[] = ['zz', 'number', true, false, 8123, ['zz'], 'https://zz.example', '1.2.3'];
/** Fields that are read before the settings. */
const NOT_IN_SETTINGS = ['$schema'];

describe('ENTRY_FIELDS, the table of entry fields', () => {
  for (const [path, { used, shown, refused, leftOut }] of Object.entries(ENTRY_FIELDS)) {
    it(`states what a run does with ${path}`, () => {
      expect([used, shown, refused, leftOut].some((text) => text !== undefined)).to.equal(true);
    });

    for (const [kind, text] of [
      ['refused', refused],
      ['leftOut', leftOut],
    ] as const) {
      if (text === undefined) continue;
      it(`${path} › prints the stated line when the value is ${kind === 'refused' ? 'refused' : 'left out'}`, async () => {
        const sample = SAMPLES[`${kind} ${path}`] ?? sampleOfInput(path, kind);
        if (sample === undefined) throw new Error('no sample shows it');
        const documents = documentsFor(sample.changes).map((document) => changed(document, sample.changes));
        const answer = sample.answer === undefined ? 'x' : sample.answer;
        const lines = (await Promise.all(documents.map((document) => linesOf(document, answer)))).flat();
        expect(lines.join('\n')).to.match(patternOf(text));
      });
    }

    if (used !== undefined && !NOT_IN_SETTINGS.includes(path)) {
      it(`${path} › has an effect on the run`, () => {
        const base = documentsFor({ [path]: undefined }).map((document) => changed(document, around(path)));
        const differs = base.some((document) =>
          VALUES.some((value) => readingOf(changed(document, { [path]: value })) !== readingOf(document)),
        );
        expect(differs).to.equal(true);
      });
    }
  }

  it('covers every field name of older schemas', () => {
    const rows = Object.entries(ENTRY_FIELDS);
    const unknown = [...OLDER_NAMES].filter(
      ([old, name]) =>
        !rows.some(([path, { oldName }]) => oldName === old && path.endsWith(name)) &&
        // A list has rows for its items.
        !rows.some(([path]) => path.includes(`.${name}.`)),
    );
    expect(unknown).to.deep.equal([]);
  });

  for (const [path, { oldName, used, refused, leftOut }] of Object.entries(ENTRY_FIELDS)) {
    if (oldName === undefined || [used, refused, leftOut].every((text) => text === undefined)) continue;
    it(`${path} › has the same effect under its older name`, () => {
      const oldPath = path.replace(/[^.]+$/, oldName);
      const same = documentsFor({ [path]: undefined }).map((document) =>
        VALUES.map((value) => {
          const plain = changed(document, { ...around(path), [path]: value });
          const old = changed(document, { ...around(path), [path]: undefined });
          const renamed = changed(removeUndefined(old), { $schema: SNAKE_CASE_SCHEMA, [oldPath]: value });
          return readingOf(renamed) === readingOf(plain);
        }),
      );
      expect(same.flat()).not.to.include(false);
    });
  }

  it('covers the fields that only older schemas have', () => {
    expect(Object.keys(REMOVED_FIELDS)).to.deep.equal(['status', '_meta.official']);
  });
});
