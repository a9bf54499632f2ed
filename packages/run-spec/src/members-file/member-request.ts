import { parseDuration } from '@portolan/plugin-api';
import { isJsonObject } from '../document/json-members.ts';
import {
  MEMBER_FIELDS,
  type MemberField,
  REMOTE_AUTH_FIELDS,
  TOKEN_EXCHANGE_FIELDS,
} from '../members/member-fields.ts';
import type { Member } from '../members/member.ts';
import { unreachable } from '../parse/unreachable.ts';
import { isConfigFile } from '../run-config/members/check-member.ts';
import { flagRow, RUN_FLAG_NAMES, type RunFlags } from '../settings/run-flags.ts';
import type { RunRequest } from '../settings/run-request.ts';

/**
 * Returns the request of `run` for the server of a member with `run` or `url`. Undefined for a workload, which
 * runs on its own. The caller adds the name and the group.
 */
export function requestOfMember(member: Member): RunRequest | undefined {
  const { run, url, args = [] } = member;
  const target = run ?? url;
  if (target === undefined) return undefined;
  if (run !== undefined && isConfigFile(run)) {
    return { target: undefined, fromConfig: run, args: [], flags: {} };
  }
  return { target, args, flags: flagsOf(member) };
}

function flagsOf(member: Member): RunFlags {
  const flags = [
    ...flagsOfPart(MEMBER_FIELDS, member),
    ...flagsOfPart(REMOTE_AUTH_FIELDS, member.remote_auth),
    ...flagsOfPart(TOKEN_EXCHANGE_FIELDS, member.token_exchange),
  ];
  // Each value has the type of the flag in its row, which a test compares.
  return Object.fromEntries(flags);
}

type Row = Omit<MemberField, 'of'>;

function flagsOfPart(
  table: Readonly<Record<string, Row>>,
  values: object | undefined,
): readonly (readonly [name: string, value: unknown])[] {
  return Object.entries(values ?? {}).flatMap(([key, value]) => {
    const row = Object.hasOwn(table, key) ? table[key] : undefined;
    const name = RUN_FLAG_NAMES.find((one) => flagRow(one).flag === row?.flag);
    return row === undefined || name === undefined ? [] : [[name, asTyped(row, value)] as const];
  });
}

/** Returns a value in the form in which the command line gives it. */
function asTyped({ is }: Row, value: unknown): unknown {
  switch (is) {
    case 'text':
    case 'reference':
    case 'integer':
    case 'truth':
    case 'texts':
      return value;
    case 'duration':
      return parseDuration(String(value));
    case 'text-map':
      return isJsonObject(value) ? Object.entries(value).map(([key, text]) => `${key}=${String(text)}`) : [];
    default:
      return unreachable(is);
  }
}
