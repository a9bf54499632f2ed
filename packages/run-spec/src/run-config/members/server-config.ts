import { isJsonObject } from '../../document/json-members.ts';
import {
  MEMBER_FIELDS,
  type MemberField,
  REMOTE_AUTH_FIELDS,
  TOKEN_EXCHANGE_FIELDS,
} from '../../members/member-fields.ts';
import type { Member } from '../../members/member.ts';
import type { RunConfig } from '../run-config.ts';

type Row = Omit<MemberField, 'of'>;

/** Fields whose value in a members file has another form than in a run config. */
const OTHER_FORM: readonly string[] = ['env_file'];

/**
 * Returns the settings of a member's server as fields of a run config, as far as the members file states them.
 * Durations stay texts. A run config that a member has after planning is not part of it.
 */
export function serverConfigOf(member: Member): Partial<RunConfig> {
  const fields: Record<string, unknown> = {};
  const add = (table: Readonly<Record<string, Row>>, values: object | undefined): void => {
    for (const [key, value] of Object.entries(values ?? {})) {
      const row = Object.hasOwn(table, key) && !OTHER_FORM.includes(key) ? table[key] : undefined;
      if (row !== undefined) setAt(fields, row.field.split('.'), value);
    }
  };
  add(MEMBER_FIELDS, member);
  add(REMOTE_AUTH_FIELDS, member.remote_auth);
  add(TOKEN_EXCHANGE_FIELDS, member.token_exchange);
  const { run = '', url = '', workload = '' } = member;
  return {
    // Each value has the type of the field in the row's name.
    ...(fields as Partial<RunConfig>),
    ...(run === '' && workload === '' ? {} : { run_target: run === '' ? workload : run }),
    ...(url === '' ? {} : { remote_url: url }),
  };
}

function setAt(map: Record<string, unknown>, [key = '', ...rest]: readonly string[], value: unknown): void {
  if (rest.length === 0) {
    map[key] = value;
    return;
  }
  const part: Record<string, unknown> = isJsonObject(map[key]) ? { ...map[key] } : {};
  setAt(part, rest, value);
  map[key] = part;
}
