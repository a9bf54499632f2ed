import { type FieldReader, pathOf } from '../../document/field-reader.ts';
import type { MemberKind } from '../../members/member-fields.ts';
import { kindOfMember, type Member, type MemberCredentials } from '../../members/member.ts';
import { textOf } from '../../parse/text-of.ts';
import { checkWorkloadName } from '../../target/workload-name.ts';
import { checkRemoteUrl } from '../checks/check-values.ts';

/**
 * Credentials that a kind of member can have. A workload logs in to its server itself, so that no caller can log
 * in through the virtual server.
 */
const CREDENTIALS: Readonly<Record<MemberKind, readonly MemberCredentials[]>> = {
  workload: ['none', 'workload', 'exchange'],
  run: ['none', 'workload', 'exchange', 'caller'],
  url: ['none', 'workload', 'exchange', 'caller'],
};

/** Matches a run target that is the path of an exported run config. */
const CONFIG_FILE = /^(?:\.{0,2}|~)\/.*\.json$/;

/** Returns whether the run target of a member is the path of a run config, as for `--from-config`. */
export function isConfigFile(target: string): boolean {
  return CONFIG_FILE.test(target);
}

/** Adds the problems of a member whose fields have the right types. */
export function checkMember(fields: FieldReader, member: Member, place: string): void {
  const kind = kindOfMember(member);
  const target = member[kind] ?? '';
  const fail = (check: () => unknown): void => {
    try {
      check();
    } catch (error) {
      fields.problems.push(textOf(error));
    }
  };
  if (target.trim() === '') fields.problem(pathOf(place, kind), undefined, EXPECTED[kind]);
  else if (kind === 'workload') fail(() => checkWorkloadName(target, pathOf(place, kind)));
  else if (kind === 'url') fail(() => checkRemoteUrl(target, pathOf(place, kind)));
  const { credentials, token_exchange: exchange, remote_auth: login } = member;
  if (credentials !== undefined && !CREDENTIALS[kind].includes(credentials)) {
    fields.problems.push(
      `${pathOf(place, 'credentials')}: found ${credentials}; a member with ${kind} has ${CREDENTIALS[kind].join(' or ')}`,
    );
  }
  if (exchange !== undefined && credentials !== 'exchange') {
    fields.problems.push(`${pathOf(place, 'token_exchange')}: expected credentials: exchange beside it`);
  }
  if (exchange !== undefined && exchange.token_url === undefined) {
    fields.problem(pathOf(place, 'token_exchange'), undefined, 'token_url');
  }
  if (login !== undefined && (credentials === 'none' || credentials === 'exchange')) {
    fields.problems.push(
      `${pathOf(place, 'remote_auth')}: found a login; expected none with credentials: ${credentials}`,
    );
  }
  if (credentials === 'none' && member.forward_headers_secret !== undefined) {
    fields.problems.push(
      `${pathOf(place, 'forward_headers_secret')}: found a credential; expected none with credentials: none`,
    );
  }
  if (kind === 'run' && isConfigFile(target)) refuseBesideFile(fields, member, place);
}

const EXPECTED: Readonly<Record<MemberKind, string>> = {
  workload: 'the name of a workload',
  run: 'a server of the registry, an image, SCHEME://PACKAGE, a URL, or the path of a run config (./FILE.json)',
  url: 'the URL of a remote server',
};

/** Settings of a member with a run config that the virtual server reads itself. */
const OWN_SETTINGS = [
  'run',
  'tools',
  'override',
  'prefix',
  'credentials',
  'pass_headers',
  'timeout',
  'config',
];

/** Refuses settings next to an exported run config, which is complete. */
function refuseBesideFile(fields: FieldReader, member: Member, place: string): void {
  for (const key of Object.keys(member).filter((one) => !OWN_SETTINGS.includes(one))) {
    fields.problems.push(
      `${pathOf(place, key)}: found a setting next to a run config; expected it in that file`,
    );
  }
}
