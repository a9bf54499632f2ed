import { expect } from 'chai';
import { isPortolanError } from '@portolan/plugin-api';
import { memberOf } from '../../src/document/json-members.ts';
import { checkSecret } from '../../src/run-config/checks/check-values.ts';
import { FIELD_CHECKS, type FieldName } from '../../src/run-config/checks/field-checks.ts';
import { completeOidc, findOidcFaults } from '../../src/run-config/oidc-config.ts';
import { parseRunConfig } from '../../src/run-config/parse-run-config.ts';
import { checkFlags } from '../../src/settings/check-flags.ts';
import type { FlagRow } from '../../src/settings/flag-row.ts';
import { flagRow, RUN_FLAG_NAMES, type RunFlagName, typedFlag } from '../../src/settings/run-flags.ts';

const CONTEXT = { workingDirectory: '/work', home: '/home/ann' };

/** Values that some field refuses. */
const TEXTS: readonly string[] = [
  ' ',
  'a b',
  'relative',
  './x',
  '../x',
  '~/x',
  '/abs',
  '/',
  'a\0b',
  'a\nb',
  'ü',
  '"',
  '$(id)',
  ';',
  '--x',
  'http://h.example',
  'https://h.example/',
  'https://ann:hunter2@h.example/',
  'https://h.example/#f',
  'h:80',
  'javascript:1',
  'file:///etc',
  'redis://h:1/0',
  'redis://u:p@h',
  '127.0.0.1',
  '::1',
  '1.2.3',
  '256.1.1.1',
  '-1',
  '0',
  '65536',
  '1.5',
  '45',
  '-1s',
  '45m',
  '80:80',
  ':80',
  '99999:80',
  'a:b:c:d',
  '/a:/b',
  '/a:/b:x',
  '/a:b',
  '/a:/',
  'name,target=T',
  ',target=T',
  'a,target=',
  'WARN',
  'Warn',
  'sse',
  'stdio',
  'own',
  'bridge',
  'A B',
  'Default',
  'a'.repeat(101),
  'a'.repeat(300),
  'a'.repeat(3000),
  'node:24',
  'Authorization',
  'X-Up',
];
const NUMBERS: readonly number[] = [-1, 1, 80, 1023, 1024, 10_001, 65_535, 65_536, 1_000_000_000];
const PAIRS: readonly string[] = [
  '=v',
  'a=',
  'a b=v',
  'a=b c',
  'a="',
  '$x=1',
  'a=v\0',
  'a\0=v',
  'Host=h',
  'X-A=ü',
  'X A=1',
  'X-A=a,b',
  'portolan.dev/name=x',
  'a\nb=c',
  'a=https://x.example/?q=1',
  'PATH=/x',
  'lower=1',
  'A=`id`',
  'A=1',
];

/** A check that both a flag and a file go through; the others are those of documents. */
function comparable(row: FlagRow): boolean {
  const { of } = FIELD_CHECKS[row.field];
  return row.names === undefined && ['text', 'number', 'texts', 'pairs'].includes(of);
}

/** What a flag says about a value: an error message without its place, or the value that it stands for. */
function flagVerdict(name: RunFlagName, typed: unknown): unknown {
  const warnings: string[] = [];
  try {
    const flags: unknown = checkFlags({ [name]: typed }, CONTEXT, warnings);
    const value = memberOf(flags, name);
    const fault = oidcFault(flagRow(name).field, value) ?? warnings[0];
    return fault === undefined ? { value } : without(typedFlag(name), fault);
  } catch (error) {
    if (!isPortolanError(error)) throw error;
    return without(typedFlag(name), error.message);
  }
}

/** `mergeOidc` and `checkRunConfig` find these faults, which depend on several flags or parts, with one function. */
function oidcFault(field: FieldName, value: unknown): string | undefined {
  const [top, part = ''] = field.split('.');
  if (top !== 'oidc_config') return undefined;
  const oidc = completeOidc({ [part]: value });
  const fault = oidc && findOidcFaults(oidc).find(({ key }) => key === part);
  const flag = RUN_FLAG_NAMES.find((name) => flagRow(name).field === field);
  return fault && flag && `${typedFlag(flag)}: found ${fault.found}; expected ${fault.expected}`;
}

/** What a run config file says about the same value. */
function fileVerdict(field: FieldName, value: unknown): unknown {
  const isRemote = /^(?:remote_|header_)/.test(field);
  const place = isRemote ? { remote_url: 'https://h.example/mcp' } : { image: 'nginx' };
  const document = withField(
    { name: 'w', ...place, ...(field === 'name' ? { name: '' } : {}) },
    field,
    value,
  );
  try {
    const { config } = parseRunConfig(JSON.stringify(document), 'w.json', CONTEXT);
    return { value: field.split('.').reduce<unknown>((part, key) => memberOf(part, key), config) };
  } catch (error) {
    if (!isPortolanError(error)) throw error;
    const [problem] = error.message.split('\n  ').filter((line) => line.startsWith(field));
    return problem === undefined ? { value } : without(field, problem);
  }
}

function without(place: string, message: string): string {
  return message
    .slice(place.length)
    .replace(/^(?:\[\d+\])?: /, '')
    .replace(/(?:; it is left out)?\.$/, '');
}

function withField(document: object, field: string, value: unknown): object {
  const [key = '', ...rest] = field.split('.');
  return { ...document, [key]: rest.length === 0 ? value : withField({}, rest.join('.'), value) };
}

interface Pair {
  readonly typed: unknown;
  /** The same value in the form of the field. */
  readonly held: unknown;
}

/** Values as a flag and a file hold them. */
function valuesOf(row: FlagRow): readonly Pair[] {
  const { of } = FIELD_CHECKS[row.field];
  if (row.is === 'duration' && of === 'text') return DURATIONS;
  if (of === 'number') return NUMBERS.map((number) => ({ typed: number, held: converted(row, number) }));
  if (of === 'texts') return TEXTS.map((text) => ({ typed: [text], held: converted(row, [text]) }));
  if (of === 'text') return TEXTS.map((text) => ({ typed: text, held: converted(row, text) }));
  return PAIRS.map((text) => {
    const at = text.indexOf('=');
    return { typed: [text], held: { [text.slice(0, at)]: text.slice(at + 1) } };
  });
}

const DURATIONS: readonly Pair[] = [
  { typed: -1000, held: '-1s' },
  { typed: 60_000, held: '1m0s' },
];

/** Undefined where the flag cannot convert the value, so that no file can hold it. */
function converted(row: FlagRow, typed: unknown): unknown {
  const convert = row.convert as ((value: unknown, place: string) => unknown) | undefined;
  try {
    return convert === undefined ? typed : convert(typed, 'x');
  } catch (error) {
    if (isPortolanError(error)) return undefined;
    throw error;
  }
}

/** The forms of a flag that can set a field of each type. */
const FORMS: Readonly<Record<string, readonly string[]>> = {
  text: ['text', 'duration'],
  number: ['integer', 'number', 'duration'],
  texts: ['texts', 'list'],
  pairs: ['texts'],
  truth: ['truth'],
};

describe('FIELD_CHECKS', () => {
  for (const name of RUN_FLAG_NAMES) {
    const row = flagRow(name);
    const { field } = row;
    it(`checks the type of --${row.flag}`, () => {
      const { of } = FIELD_CHECKS[field];
      if (row.names === undefined && of !== 'document') expect(FORMS[of]).to.include(row.is);
    });

    if (!comparable(row)) continue;
    it(`accepts the same values for --${row.flag} and ${field}`, () => {
      const values = valuesOf(row).filter(({ held }) => held !== undefined);
      expect(values).to.have.length.greaterThan(1);
      for (const { typed, held } of values) {
        // Other writers put the transport there.
        if (name === 'proxyMode' && typed === 'stdio') continue;
        const [flag, file] = [flagVerdict(name, typed), fileVerdict(field, held)];
        const about = `${typedFlag(name)} ${JSON.stringify(typed)}`;
        if (typeof flag === 'string' || typeof file === 'string') expect(flag, about).to.equal(file);
        else if (row.setting?.write === undefined && FIELD_CHECKS[field].of !== 'pairs') {
          expect(flag, about).to.deep.equal(file);
        }
      }
    });

    it(`rejects at least one of the sample values of ${field}`, () => {
      const verdicts = valuesOf(row).map(({ typed }) => flagVerdict(name, typed));
      expect(verdicts.some((verdict) => typeof verdict === 'string')).to.equal(true);
    });
  }

  it('rejects a value of another type in a part of a field', () => {
    expect(fileVerdict('remote_auth_config.scopes', 'openid')).to.include('expected a list of texts');
    expect(fileVerdict('remote_auth_config.callback_port', '8666')).to.include('expected a number');
  });
});

describe('checkSecret', () => {
  it('rejects characters outside printable ASCII, with the name of the place and without the text', () => {
    for (const text of ['hunter2ü', 'hunter2\u200b', 'hunter2\0', 'hunter\n2', 'hunter2€']) {
      expect(() => checkSecret(text, '--remote-auth-client-secret')).to.throw(
        /^--remote-auth-client-secret: found a text with other characters; expected a secret of printable ASCII characters\.$/,
      );
    }
  });

  it('accepts every printable ASCII character, and a line end after the secret', () => {
    const all = Array.from({ length: 95 }, (_, index) => String.fromCodePoint(32 + index)).join('');
    for (const text of [all, 'hunter2\n']) expect(checkSecret(text, 'x')).to.equal(text);
  });
});
