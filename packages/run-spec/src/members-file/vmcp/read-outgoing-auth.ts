import { pathOf } from '../../document/field-reader.ts';
import { type JsonMembers, ownMembers } from '../../document/json-members.ts';
import type { Member } from '../../members/member.ts';
import { isCredentialHeader } from '../../run-config/lift-secrets.ts';
import { refuseUnknown } from '../../run-config/members/refuse-unknown.ts';
import { checkedAs, isSet, refuseKeys, textsAs, type VmcpReading } from './vmcp-reading.ts';

const AT = 'outgoingAuth';

/** Parts of a strategy, by its type. */
const PARTS = {
  unauthenticated: undefined,
  header_injection: 'headerInjection',
  token_exchange: 'tokenExchange',
} as const;

/** Strategies without a counterpart, with what to do instead. */
const REFUSED: Readonly<Record<string, string>> = {
  upstream_inject: 'use `credentials: caller`, by which each caller logs in to the remote server',
  aws_sts: 'use a plugin that signs requests (`remote_credentials`)',
  obo: 'use `credentials: exchange` or `caller`',
  xaa: 'use `credentials: exchange` or `caller`',
};

/** Credentials of the backends, as fields of members. */
export interface OutgoingAuth {
  /** Returns the fields of a member with the credentials of a backend. */
  readonly memberOf: (backend: string) => Member;
  /** Names of backends with credentials of their own, with the place of each. */
  readonly named: ReadonlyMap<string, string>;
  /** Place of the credentials of other backends, if those have any. */
  readonly common: string | undefined;
}

export function readOutgoingAuth(reading: VmcpReading, document: JsonMembers): OutgoingAuth {
  const { fields } = reading;
  const map = fields.object(document, AT) ?? ownMembers({});
  refuseUnknown(fields, map, AT, { known: ['source', 'default', 'backends'] });
  const source = fields.text(map, 'source', AT);
  if (!['', 'inline'].includes(source)) {
    fields.problem(pathOf(AT, 'source'), source, 'inline; other sources exist in Kubernetes alone');
  }
  const fallback = fields.object(map, 'default', AT);
  const place = pathOf(AT, 'default');
  const common: Member = fallback === undefined ? {} : readStrategy(reading, fallback, place);
  const backends = Object.entries(fields.object(map, 'backends', AT) ?? {}).map(([name, value]) => {
    const at = pathOf(pathOf(AT, 'backends'), name);
    return { name, at, member: readStrategy(reading, fields.map(value, at), at) };
  });
  const own = new Map(backends.map(({ name, member }) => [name, member]));
  const isUsed = common.credentials !== undefined && common.credentials !== 'none';
  return {
    memberOf: (backend) => own.get(backend) ?? common,
    named: new Map(backends.map(({ name, at }) => [name, at])),
    common: isUsed ? place : undefined,
  };
}

const STRATEGY_KEYS = ['type', 'headerInjection', 'tokenExchange', 'upstreamInject', 'awsSts', 'obo', 'xaa'];

function readStrategy(reading: VmcpReading, map: JsonMembers, at: string): Member {
  const { fields } = reading;
  refuseUnknown(fields, map, at, { known: STRATEGY_KEYS });
  const type = fields.text(map, 'type', at);
  const instead = Object.hasOwn(REFUSED, type) ? REFUSED[type] : undefined;
  if (instead !== undefined) {
    fields.problems.push(`${pathOf(at, 'type')}: Portolan has no counterpart of ${type}; ${instead}`);
    return {};
  }
  if (type === 'unauthenticated') return { credentials: 'none' };
  if (type !== 'header_injection' && type !== 'token_exchange') {
    fields.problem(pathOf(at, 'type'), type, Object.keys(PARTS).join(', '));
    return {};
  }
  const key = PARTS[type];
  const part = fields.object(map, key, at);
  const place = pathOf(at, key);
  if (part === undefined) {
    fields.problem(place, undefined, `the settings of ${type}`);
    return {};
  }
  return type === 'header_injection' ? readHeader(reading, part, place) : readExchange(reading, part, place);
}

function readHeader(reading: VmcpReading, map: JsonMembers, at: string): Member {
  const { fields, notes } = reading;
  refuseUnknown(fields, map, at, { known: ['headerName', 'headerValue', 'headerValueEnv'] });
  const header = fields.text(map, 'headerName', at);
  const value = fields.text(map, 'headerValue', at);
  const variable = fields.text(map, 'headerValueEnv', at);
  if (header === '') fields.problem(pathOf(at, 'headerName'), undefined, 'the name of a header');
  if ((value === '') === (variable === '')) {
    fields.problem(at, map, 'exactly one of headerValue and headerValueEnv');
    return {};
  }
  if (variable !== '') {
    const secrets = { [header]: variable };
    checkedAs(reading, 'header_forward.add_headers_from_secret', secrets, pathOf(at, 'headerValueEnv'));
    noteSecret(notes, pathOf(at, 'headerValueEnv'), variable);
    return { credentials: 'workload', forward_headers_secret: secrets };
  }
  if (isCredentialHeader(header)) {
    fields.problems.push(
      `${pathOf(at, 'headerValue')}: found a credential in plain text; expected headerValueEnv with the name of a secret`,
    );
    return {};
  }
  checkedAs(reading, 'header_forward.add_plaintext_headers', { [header]: value }, pathOf(at, 'headerValue'));
  return { credentials: 'workload', forward_headers: { [header]: value } };
}

/** Notes that a variable of the environment becomes a secret of the same name. */
export function noteSecret(notes: string[], place: string, variable: string): void {
  notes.push(
    `${place}: Portolan takes the value from the secret ${variable}; store it with \`portolan secret set ${variable}\`.`,
  );
}

const EXCHANGE_KEYS = {
  tokenUrl: 'token_url',
  clientId: 'client_id',
  audience: 'audience',
  subjectTokenType: 'subject_token_type',
} as const;

function readExchange(reading: VmcpReading, map: JsonMembers, at: string): Member {
  const { fields, notes } = reading;
  refuseUnknown(fields, map, at, {
    known: [
      ...Object.keys(EXCHANGE_KEYS),
      'clientSecret',
      'clientSecretEnv',
      'scopes',
      'subjectProviderName',
    ],
  });
  refuseKeys(reading, map, at, {
    subjectProviderName: 'the subject is the token of the caller',
    clientSecret: 'store the secret, and name it in clientSecretEnv',
  });
  const exchange = textsAs(reading, map, at, EXCHANGE_KEYS);
  if (exchange['token_url'] === undefined) {
    fields.problem(pathOf(at, 'tokenUrl'), undefined, 'the token endpoint');
  }
  for (const [key, name] of Object.entries(EXCHANGE_KEYS)) {
    if (exchange[name] !== undefined) {
      checkedAs(reading, `token_exchange_config.${name}`, exchange[name], pathOf(at, key));
    }
  }
  const variable = fields.text(map, 'clientSecretEnv', at);
  if (variable !== '') noteSecret(notes, pathOf(at, 'clientSecretEnv'), variable);
  return {
    credentials: 'exchange',
    token_exchange: {
      ...exchange,
      ...(isSet(map, 'scopes') ? { scopes: fields.texts(map, 'scopes', at) } : {}),
      ...(variable === '' ? {} : { client_secret: `${variable},target=token_exchange_client_secret` }),
    },
  };
}
