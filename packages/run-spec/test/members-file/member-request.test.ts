import { expect } from 'chai';
import { requestOfMember } from '../../src/members-file/member-request.ts';
import { MEMBER_FIELDS, REMOTE_AUTH_FIELDS, TOKEN_EXCHANGE_FIELDS } from '../../src/members/member-fields.ts';
import { FIELD_CHECKS } from '../../src/run-config/checks/field-checks.ts';
import { flagRow, RUN_FLAG_NAMES } from '../../src/settings/run-flags.ts';

/** Types of a flag that a type of a members file fills. */
const TYPES = {
  text: ['text'],
  reference: ['text'],
  integer: ['integer'],
  truth: ['truth'],
  duration: ['duration'],
  texts: ['texts', 'list'],
  'text-map': ['texts'],
} as const;

describe('requestOfMember', () => {
  for (const [key, { field, flag, is }] of Object.entries({
    ...MEMBER_FIELDS,
    ...Object.fromEntries(
      Object.entries(REMOTE_AUTH_FIELDS).map(([name, row]) => [`remote_auth.${name}`, row]),
    ),
    ...Object.fromEntries(
      Object.entries(TOKEN_EXCHANGE_FIELDS).map(([name, row]) => [`token_exchange.${name}`, row]),
    ),
  })) {
    it(`requestOfMember › has a flag and a checked field for ${key}`, () => {
      expect(FIELD_CHECKS).to.have.property(field);
      if (flag === undefined) return;
      const name = RUN_FLAG_NAMES.find((one) => flagRow(one).flag === flag);
      expect(name && TYPES[is]).to.include(name && flagRow(name).is);
    });
  }

  it('requestOfMember › returns the flags of a run', () => {
    expect(
      requestOfMember({
        run: 'io.github.acme/weather@1.4.0',
        args: ['--units', 'metric'],
        env: { UNITS: 'metric' },
        secrets: ['key,target=API_KEY'],
        permission_profile: 'none',
        isolate_network: true,
        target_port: 8080,
        timeout: '30s',
        prefix: false,
      }),
    ).to.deep.equal({
      target: 'io.github.acme/weather@1.4.0',
      args: ['--units', 'metric'],
      flags: {
        env: ['UNITS=metric'],
        secrets: ['key,target=API_KEY'],
        permissionProfile: 'none',
        isolateNetwork: true,
        targetPort: 8080,
      },
    });
  });

  it('requestOfMember › returns the flags of a remote server', () => {
    expect(
      requestOfMember({
        url: 'https://mcp.linear.example/mcp',
        remote_auth: { enabled: true, client_id: 'desk', timeout: '1m', scopes: ['read'] },
        forward_headers: { 'X-Team': 'maps=1' },
        forward_headers_secret: { Authorization: 'key' },
      }),
    ).to.deep.equal({
      target: 'https://mcp.linear.example/mcp',
      args: [],
      flags: {
        remoteAuth: true,
        remoteAuthClientId: 'desk',
        remoteAuthTimeout: 60_000,
        remoteAuthScopes: ['read'],
        remoteForwardHeaders: ['X-Team=maps=1'],
        remoteForwardHeadersSecret: ['Authorization=key'],
      },
    });
  });

  it('requestOfMember › returns the file of a run config, and nothing for a workload', () => {
    expect(requestOfMember({ run: './weather.json' })).to.deep.equal({
      target: undefined,
      fromConfig: './weather.json',
      args: [],
      flags: {},
    });
    expect(requestOfMember({ workload: 'github' })).to.equal(undefined);
  });
});
