import type { JsonObject } from '@portolan/plugin-api';
import {
  MEMBER_KINDS,
  type MemberKind,
  type MemberRemoteAuth,
  type MemberTokenExchange,
  type ServerFields,
} from './member-fields.ts';

/** Whose credentials the requests to a member have. */
export const MEMBER_CREDENTIALS = ['none', 'workload', 'exchange', 'caller'] as const;
export type MemberCredentials = (typeof MEMBER_CREDENTIALS)[number];

export const SEARCH_MODES = ['off', 'auto', 'always'] as const;
export type SearchMode = (typeof SEARCH_MODES)[number];

/** Other name and description of a tool. */
export interface MemberOverride {
  readonly name?: string;
  readonly description?: string;
}

/** Settings that decide which tools of a member clients see, and under which names. */
export interface NameSettings {
  /** Own names of the tools that clients see; absent for all. */
  readonly tools?: readonly string[];
  /** Other names and descriptions, by own name. */
  readonly override?: Readonly<Record<string, MemberOverride>>;
  /** Text before the own name; false for none; absent for the name of the member and `_`. */
  readonly prefix?: string | false;
}

/** Member of a virtual server, as it is in a members file and in the run config. */
export interface Member extends NameSettings, ServerFields {
  readonly workload?: string;
  readonly run?: string;
  readonly url?: string;
  readonly remote_auth?: MemberRemoteAuth;
  readonly token_exchange?: MemberTokenExchange;
  /** Absent for the credentials that `credentialsOf` returns. */
  readonly credentials?: MemberCredentials;
  /** Names of client headers that the member gets. */
  readonly pass_headers?: readonly string[];
  /** Maximum time of a call, such as `30s`; absent for no maximum. */
  readonly timeout?: string;
  /**
   * Run config of the member's server, as a document. Only run configs have it, after planning. It has no
   * secret in plain text.
   */
  readonly config?: JsonObject;
}

/** Members by name, in the order of the file. */
export type Members = Readonly<Record<string, Member>>;

/** Tool search of a virtual server, as it is in a members file and in the run config. */
export interface SearchFields {
  readonly mode?: SearchMode;
  readonly above_tokens?: number;
  readonly always?: readonly string[];
  readonly index?: string;
}

/** Tool search with its defaults. */
export interface SearchSettings {
  readonly mode: SearchMode;
  /** Size of a caller's list, in tokens, above which `auto` turns search on. */
  readonly aboveTokens: number;
  /** Exposed names that stay in the list. */
  readonly always: readonly string[];
  /** Name of the kind of tool index. */
  readonly index: string;
}

export const DEFAULT_ABOVE_TOKENS = 8000;

/** Name of the tool index that is used by default. */
export const DEFAULT_TOOL_INDEX = 'bm25';

/** Fills in the defaults of the tool search. */
export function searchSettingsOf(fields: SearchFields | undefined): SearchSettings {
  const { mode = 'off', above_tokens: aboveTokens = DEFAULT_ABOVE_TOKENS, always = [] } = fields ?? {};
  return { mode, aboveTokens, always, index: fields?.index ?? DEFAULT_TOOL_INDEX };
}

/** Returns the kind of a member, which has exactly one of the three fields. */
export function kindOfMember(member: Member): MemberKind {
  return MEMBER_KINDS.find((kind) => member[kind] !== undefined) ?? 'run';
}

/** Returns the credentials of a member, or those of its kind by default: a workload gets them only as headers. */
export function credentialsOf(member: Member): MemberCredentials {
  const { credentials, forward_headers_secret: headers } = member;
  if (credentials !== undefined) return credentials;
  return kindOfMember(member) === 'workload' && headers === undefined ? 'none' : 'workload';
}
