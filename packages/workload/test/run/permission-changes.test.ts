import type { PermissionProfile } from '@portolan/run-spec';
import { expect } from 'chai';
import { permissionChanges } from '../../src/run/operations/update/permission-changes.ts';

describe('permissionChanges', () => {
  const reaching = (...hosts: readonly string[]): PermissionProfile => ({
    read: [],
    write: [],
    network: { outbound: { insecure_allow_all: false, allow_host: hosts, allow_port: [443] } },
  });
  const cases: readonly (readonly [
    title: string,
    has: PermissionProfile | undefined,
    asked: PermissionProfile | undefined,
    expected: readonly string[],
  ])[] = [
    ['returns nothing when the entry has no profile', reaching('a.example'), undefined, []],
    ['returns nothing for equal profiles', reaching('a.example'), reaching('a.example'), []],
    [
      'names an added and a removed host',
      reaching('a.example', 'b.example'),
      reaching('b.example', 'c.example'),
      [
        'The entry asks for network.outbound.allow_host c.example; the workload does not get it.',
        'The entry does not ask for network.outbound.allow_host a.example; the workload keeps it.',
      ],
    ],
    [
      'ignores profile names, and treats a missing network part as full access',
      { name: 'none', network: { mode: '', outbound: {} } },
      { name: 'network', privileged: false },
      ['The entry asks for network.outbound.insecure_allow_all; the workload does not get it.'],
    ],
    [
      'names enabled options and ports',
      undefined,
      {
        read: ['/srv'],
        write: [],
        network: { outbound: { insecure_allow_all: true, allow_host: [], allow_port: [443] } },
      },
      [
        'The entry asks for read /srv; the workload does not get it.',
        'The entry asks for network.outbound.insecure_allow_all; the workload does not get it.',
        'The entry asks for network.outbound.allow_port 443; the workload does not get it.',
      ],
    ],
  ];
  for (const [title, has, asked, expected] of cases)
    it(title, () => {
      expect(permissionChanges(has, asked)).to.deep.equal(expected);
    });
});
