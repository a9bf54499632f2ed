import type { JsonObject } from '@portolan/plugin-api';
import { isJsonObject } from '../document/json-members.ts';
import type { RunFlags } from './run-flags.ts';

/** Callback port that ToolHive writes into entries by default. It counts as unspecified. */
const USUAL_PORT = 8666;

/**
 * Flags that name the authorization server. With any of them, the entry's issuer and addresses are ignored.
 */
const PLACES = ['remoteAuthIssuer', 'remoteAuthAuthorizeUrl', 'remoteAuthTokenUrl'] as const;

/** Returns the login settings of a registry entry, without those that flags replace. */
export function entryAuth(published: JsonObject | undefined, flags: RunFlags): JsonObject {
  const { oauth_params: parameters, scopes, callback_port: port } = published ?? {};
  const isPlaced = PLACES.some((name) => flags[name] !== undefined);
  const texts = ['client_id', 'resource', ...(isPlaced ? [] : ['issuer', 'authorize_url', 'token_url'])];
  const isPort = typeof port === 'number' && Number.isInteger(port) && port >= 1024 && port <= 65_535;
  const client = flags.remoteAuthClientId === undefined ? textAt(published, 'client_id') : undefined;
  const all = {
    ...Object.fromEntries(texts.map((key) => [key, textAt(published, key)])),
    scopes: Array.isArray(scopes) && scopes.length > 0 ? scopes.filter(isText) : undefined,
    oauth_params: isJsonObject(parameters) ? onlyTexts(parameters) : undefined,
    // A client secret of the environment must not be sent for a client ID that the entry chose.
    published_client: client === undefined ? undefined : true,
    callback_port: isPort && port !== USUAL_PORT ? port : undefined,
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}

function textAt(document: JsonObject | undefined, key: string): string | undefined {
  const value = document?.[key];
  return isText(value) && value !== '' ? value : undefined;
}

function onlyTexts(map: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(map).filter(([, value]) => isText(value)));
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}
