import type { JsonObject } from '@portolan/plugin-api';
import type { FieldReader } from '../document/field-reader.ts';
import { type JsonMembers, ownMembers } from '../document/json-members.ts';

/** Settings of ignored files, with the names in the document. */
export interface IgnoreConfig {
  readonly LoadGlobal: boolean;
  readonly PrintOverlays: boolean;
}

/** Headers for a remote server: plain-text values, and names of secrets. */
export interface HeaderForward {
  readonly add_plaintext_headers: Readonly<Record<string, string>>;
  readonly add_headers_from_secret: Readonly<Record<string, string>>;
}

export interface RuntimeConfig {
  readonly builder_image: string;
  readonly additional_packages: readonly string[];
  readonly build_with: readonly string[];
  readonly runtime_env: Readonly<Record<string, string>>;
}

export interface ToolOverride {
  readonly name?: string;
  readonly description?: string;
}

/** Settings for verifying tokens of callers. Keys in a document are case-insensitive. */
export interface OidcConfig {
  readonly Issuer: string;
  readonly Audience: string;
  readonly JWKSURL: string;
  readonly ClientID: string;
  /** Client secret as a reference, `NAME,target=TARGET`. */
  readonly ClientSecret: string;
  readonly CACertPath: string;
  readonly AuthTokenFile: string;
  readonly AllowPrivateIP: boolean;
  readonly InsecureAllowHTTP: boolean;
  readonly IntrospectionURL: string;
  readonly ResourceURL: string;
  readonly Scopes: readonly string[];
  /** Clients whose tokens are accepted; empty for any. */
  readonly AllowedClients: readonly string[];
}

const OIDC_TEXTS = [
  'Issuer',
  'Audience',
  'JWKSURL',
  'ClientID',
  'ClientSecret',
  'CACertPath',
  'AuthTokenFile',
  'IntrospectionURL',
  'ResourceURL',
] as const;

export function readIgnore(fields: FieldReader, map: JsonMembers, at: string): IgnoreConfig {
  return {
    LoadGlobal: fields.truth(map, 'LoadGlobal', at),
    PrintOverlays: fields.truth(map, 'PrintOverlays', at),
  };
}

export function readHeaders(fields: FieldReader, map: JsonMembers, at: string): HeaderForward {
  return {
    add_plaintext_headers: fields.textMap(map, 'add_plaintext_headers', at),
    add_headers_from_secret: fields.textMap(map, 'add_headers_from_secret', at),
  };
}

export function readRuntime(fields: FieldReader, map: JsonMembers, at: string): RuntimeConfig {
  return {
    builder_image: fields.text(map, 'builder_image', at),
    additional_packages: fields.texts(map, 'additional_packages', at),
    build_with: fields.texts(map, 'build_with', at),
    runtime_env: fields.textMap(map, 'runtime_env', at),
  };
}

export function readOverrides(
  fields: FieldReader,
  map: JsonMembers,
  at: string,
): Readonly<Record<string, ToolOverride>> {
  const overrides = Object.entries(map).map(([tool, value]) => {
    const override = fields.map(value, `${at}.${tool}`);
    const name = fields.text(override, 'name', `${at}.${tool}`);
    const description = fields.text(override, 'description', `${at}.${tool}`);
    return [
      tool,
      { ...(name === '' ? {} : { name }), ...(description === '' ? {} : { description }) },
    ] as const;
  });
  return Object.fromEntries(overrides);
}

export function readOidc(fields: FieldReader, document: JsonMembers, at: string): OidcConfig {
  const spelled = new Map(Object.entries(document).map(([key, value]) => [key.toLowerCase(), value]));
  const map = ownMembers(
    Object.fromEntries(
      [...OIDC_TEXTS, 'AllowPrivateIP', 'InsecureAllowHTTP', 'Scopes', 'AllowedClients'].map((key) => [
        key,
        spelled.get(key.toLowerCase()),
      ]),
    ),
  );
  const text = (key: (typeof OIDC_TEXTS)[number]): string => fields.text(map, key, at);
  return {
    Issuer: text('Issuer'),
    Audience: text('Audience'),
    JWKSURL: text('JWKSURL'),
    ClientID: text('ClientID'),
    ClientSecret: text('ClientSecret'),
    CACertPath: text('CACertPath'),
    AuthTokenFile: text('AuthTokenFile'),
    AllowPrivateIP: fields.truth(map, 'AllowPrivateIP', at),
    InsecureAllowHTTP: fields.truth(map, 'InsecureAllowHTTP', at),
    IntrospectionURL: text('IntrospectionURL'),
    ResourceURL: text('ResourceURL'),
    Scopes: fields.texts(map, 'Scopes', at),
    AllowedClients: fields.texts(map, 'AllowedClients', at),
  };
}

const OLDER_REMOTE_AUTH: Readonly<Record<string, string>> = {
  ClientID: 'client_id',
  ClientSecret: 'client_secret',
  ClientSecretFile: 'client_secret_file',
  BearerToken: 'bearer_token',
  BearerTokenFile: 'bearer_token_file',
  Issuer: 'issuer',
  AuthorizeURL: 'authorize_url',
  TokenURL: 'token_url',
  Resource: 'resource',
  Scopes: 'scopes',
  ScopeParamName: 'scope_param_name',
  OAuthParams: 'oauth_params',
  SkipBrowser: 'skip_browser',
  UsePKCE: 'use_pkce',
  Timeout: 'timeout',
  CallbackPort: 'callback_port',
  Headers: 'headers',
  EnvVars: 'env_vars',
};

/** Converts an older layout of `remote_auth_config`, which has the key `ClientID`. */
export function modernRemoteAuth(document: JsonMembers): JsonObject {
  if (!Object.hasOwn(document, 'ClientID')) return document;
  return ownMembers(
    Object.fromEntries(
      Object.entries(document).map(([key, value]) => [
        Object.hasOwn(OLDER_REMOTE_AUTH, key) ? (OLDER_REMOTE_AUTH[key] ?? key) : key,
        value,
      ]),
    ),
  );
}
