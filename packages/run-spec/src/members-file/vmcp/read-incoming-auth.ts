import type { JsonObject } from '@portolan/plugin-api';
import { pathOf } from '../../document/field-reader.ts';
import { type JsonMembers, ownMembers } from '../../document/json-members.ts';
import { refuseUnknown } from '../../run-config/members/refuse-unknown.ts';
import { findOidcFaults } from '../../run-config/oidc-config.ts';
import { readOidc } from '../../run-config/parts.ts';
import type { RunConfig } from '../../run-config/run-config.ts';
import { noteSecret } from './read-outgoing-auth.ts';
import { isSet, refuseKeys, textsAs, type VmcpReading } from './vmcp-reading.ts';

const AT = 'incomingAuth';
const TYPES = ['oidc', 'local', 'anonymous'];

/** Reads who may call, and what. */
export function readIncomingAuth(reading: VmcpReading, document: JsonMembers): Partial<RunConfig> {
  const { fields } = reading;
  const map = fields.object(document, AT);
  if (map === undefined) return {};
  refuseUnknown(fields, map, AT, { known: ['type', 'oidc', 'authz'] });
  const type = fields.text(map, 'type', AT);
  if (!TYPES.includes(type)) fields.problem(pathOf(AT, 'type'), type, TYPES.join(', '));
  const oidc = fields.object(map, 'oidc', AT);
  if (type === 'oidc' && oidc === undefined) {
    fields.problem(pathOf(AT, 'oidc'), undefined, 'the issuer and the audience');
  }
  if (type !== 'oidc' && oidc !== undefined) {
    fields.problem(pathOf(AT, 'oidc'), oidc, 'none with a type other than oidc');
  }
  const authz = fields.object(map, 'authz', AT);
  return {
    ...(type === 'oidc' && oidc !== undefined ? { oidc_config: readCallers(reading, oidc) } : {}),
    ...(authz === undefined ? {} : readPolicies(reading, authz)),
  };
}

const OIDC_TEXTS = {
  issuer: 'Issuer',
  clientId: 'ClientID',
  audience: 'Audience',
  resource: 'ResourceURL',
  jwksUrl: 'JWKSURL',
  introspectionUrl: 'IntrospectionURL',
  caBundlePath: 'CACertPath',
} as const;

const OIDC_KEYS = [
  ...Object.keys(OIDC_TEXTS),
  'clientSecretEnv',
  'scopes',
  'protectedResourceAllowPrivateIp',
  'jwksAllowPrivateIp',
  'insecureAllowHttp',
];

function readCallers(reading: VmcpReading, map: JsonMembers): RunConfig['oidc_config'] {
  const { fields, notes } = reading;
  const at = pathOf(AT, 'oidc');
  refuseUnknown(fields, map, at, { known: OIDC_KEYS });
  const variable = fields.text(map, 'clientSecretEnv', at);
  if (variable !== '') noteSecret(notes, pathOf(at, 'clientSecretEnv'), variable);
  const isPrivate = ['jwksAllowPrivateIp', 'protectedResourceAllowPrivateIp'].map((key) =>
    fields.truth(map, key, at),
  );
  const oidc = readOidc(
    fields,
    ownMembers({
      ...textsAs(reading, map, at, OIDC_TEXTS),
      ...(variable === '' ? {} : { ClientSecret: `${variable},target=oidc_client_secret` }),
      Scopes: fields.texts(map, 'scopes', at),
      AllowPrivateIP: isPrivate.includes(true),
      InsecureAllowHTTP: fields.truth(map, 'insecureAllowHttp', at),
    }),
    at,
  );
  for (const { key, found, expected } of findOidcFaults(oidc)) {
    const [name = key] = Object.entries(OIDC_TEXTS).find(([, own]) => own === key) ?? [];
    fields.problems.push(`${pathOf(at, name)}: found ${found}; expected ${expected}`);
  }
  return oidc;
}

const AUTHZ_KEYS = {
  entitiesJson: 'entities_json',
  groupClaimName: 'group_claim_name',
  roleClaimName: 'role_claim_name',
  groupEntityType: 'group_entity_type',
} as const;

/** Matches what a policy of `thv vmcp` says about a tool or prompt, whose entities have other names here. */
const EXPOSED = /\b(?:Tool|Prompt|Server|MCP)\s*::|\bresource\s*(?:\.|\[|has\b)/;

function readPolicies(reading: VmcpReading, map: JsonMembers): Partial<RunConfig> {
  const { fields } = reading;
  const at = pathOf(AT, 'authz');
  refuseUnknown(fields, map, at, {
    known: ['type', 'policies', 'primaryUpstreamProvider', ...Object.keys(AUTHZ_KEYS)],
  });
  refuseKeys(reading, map, at, {
    primaryUpstreamProvider: 'policies see the claims of the token that the caller sends',
  });
  const type = fields.text(map, 'type', at);
  if (!['cedar', 'none'].includes(type)) fields.problem(pathOf(at, 'type'), type, 'cedar or none');
  const policies = fields.texts(map, 'policies', at);
  if (type !== 'cedar') {
    if (isSet(map, 'policies')) fields.problem(pathOf(at, 'policies'), policies, 'none without type: cedar');
    return {};
  }
  if (policies.length === 0) fields.problem(pathOf(at, 'policies'), undefined, 'at least one policy');
  policies.forEach((policy, index) => {
    if (!EXPOSED.test(policy)) return;
    fields.problems.push(
      `${pathOf(at, 'policies')}[${index}]: found a policy about a tool or prompt by its exposed name; expected Tool::"MEMBER/OWN-NAME" in a file of --authz-config`,
    );
  });
  const cedar: JsonObject = { policies: [...policies], ...textsAs(reading, map, at, AUTHZ_KEYS) };
  return { authz_config: { version: '1.0', type: 'cedarv1', cedar } };
}
