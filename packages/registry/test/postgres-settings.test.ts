import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { DatabaseConfig } from '@portolan/kernel';
import { isPortolanError } from '@portolan/plugin-api';
import pg from 'pg';
import { type DatabaseRole, postgresSettings } from '../src/store/postgres/postgres-settings.ts';
import { DATABASE_DEFAULTS } from './support/engines.ts';

/** What the driver makes of the settings: that, and not what we hand over, is what it connects with. */
function connectionOf(config: Partial<DatabaseConfig>, role: DatabaseRole = 'serving') {
  const { user, password, host, port, database, ssl } = new pg.Client(
    postgresSettings({ ...DATABASE_DEFAULTS, ...config }, role),
  );
  return { user, password, host, port, database, ssl };
}

describe('postgresSettings', () => {
  const logins: readonly {
    readonly title: string;
    readonly config: Partial<DatabaseConfig>;
    readonly role?: DatabaseRole;
    readonly user: string;
    readonly password: string | null;
  }[] = [
    {
      title: 'reads user and password from the address',
      config: { url: 'postgres://ada:p%40ss@db.example/x' },
      user: 'ada',
      password: 'p@ss',
    },
    {
      title: 'reads them from the query of an address without host',
      config: { url: 'postgres:///x?host=/run/postgresql&user=ada&password=pw' },
      user: 'ada',
      password: 'pw',
    },
    {
      title: 'prefers the separate password to that of the address',
      config: { url: 'postgres://ada:old@db.example/x', password: 'n ew&=' },
      user: 'ada',
      password: 'n ew&=',
    },
    {
      title: 'migrates as migrationUser, for any user in the address',
      config: { url: 'postgres://ada:pw@db.example/x', migrationUser: 'owner', migrationPassword: 'mp' },
      role: 'migrating',
      user: 'owner',
      password: 'mp',
    },
    {
      title: 'serves as the user of the address next to a migrationUser',
      config: { url: 'postgres://ada:pw@db.example/x', migrationUser: 'owner', migrationPassword: 'mp' },
      user: 'ada',
      password: 'pw',
    },
    {
      title: 'never sends the password of one role for another',
      config: { url: 'postgres://ada:pw@db.example/x', migrationUser: 'owner' },
      role: 'migrating',
      user: 'owner',
      password: null,
    },
    {
      title: 'uses the password for migrations by the same user',
      config: { url: 'postgres://ada:pw@db.example/x', migrationUser: 'ada' },
      role: 'migrating',
      user: 'ada',
      password: 'pw',
    },
    {
      title: 'reads the separate fields',
      config: { host: 'db.example', port: 5433, database: 'x', user: 'ada', password: 'pw' },
      user: 'ada',
      password: 'pw',
    },
    {
      title: 'leaves an absent password to the password file',
      config: { host: 'db.example', port: 5433, database: 'x', user: 'ada' },
      user: 'ada',
      password: null,
    },
  ];
  for (const { title, config, role, user, password } of logins) {
    it(title, () => {
      expect(connectionOf(config, role)).to.include({ user, password, database: 'x' });
    });
  }

  const url = 'postgres://ada@db.example/x';
  const separate = { host: 'db.example', port: 5432, database: 'x', user: 'ada' };
  const modes: readonly {
    readonly title: string;
    readonly config: Partial<DatabaseConfig>;
    readonly expected: 'none' | 'encrypted' | 'chain' | 'full';
  }[] = [
    { title: 'only separate fields', config: separate, expected: 'encrypted' },
    {
      title: 'separate fields and sslMode: disable',
      config: { ...separate, sslMode: 'disable' },
      expected: 'none',
    },
    { title: 'only an address', config: { url }, expected: 'none' },
    { title: 'sslmode=disable', config: { url: `${url}?sslmode=disable` }, expected: 'none' },
    { title: 'sslmode=prefer', config: { url: `${url}?sslmode=prefer` }, expected: 'encrypted' },
    { title: 'sslmode=require', config: { url: `${url}?sslmode=require` }, expected: 'encrypted' },
    { title: 'sslmode=verify-ca', config: { url: `${url}?sslmode=verify-ca` }, expected: 'chain' },
    { title: 'sslmode=verify-full', config: { url: `${url}?sslmode=verify-full` }, expected: 'full' },
    {
      title: 'sslMode: require instead of sslmode=disable',
      config: { url: `${url}?sslmode=disable`, sslMode: 'require' },
      expected: 'encrypted',
    },
    {
      title: 'sslMode: verify-full instead of sslmode=require',
      config: { url: `${url}?sslmode=require`, sslMode: 'verify-full' },
      expected: 'full',
    },
    {
      title: 'sslMode: disable instead of sslmode=require',
      config: { url: `${url}?sslmode=require`, sslMode: 'disable' },
      expected: 'none',
    },
  ];
  for (const { title, config, expected } of modes) {
    it(`protects the connection with "${expected}" for ${title}`, () => {
      const { ssl } = connectionOf(config);
      expect(ssl ? 'TLS' : 'none').to.equal(expected === 'none' ? 'none' : 'TLS');
      if (expected === 'none') return;
      expect(ssl).to.include({ rejectUnauthorized: expected !== 'encrypted' });
      expect(Object.keys(Object(ssl)).includes('checkServerIdentity')).to.equal(expected === 'chain');
    });
  }

  it('keeps the CA when the address has sslmode, and accepts sslrootcert', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'portolan-test-'));
    try {
      const file = join(folder, 'ca.pem');
      await writeFile(file, 'the authority');
      for (const config of [
        { url: `${url}?sslmode=verify-full`, caCertPath: file },
        { url: `${url}?sslmode=verify-full&sslrootcert=${encodeURIComponent(file)}` },
        { ...separate, sslMode: 'verify-full' as const, caCertPath: file },
      ]) {
        const { ssl } = connectionOf(config);
        expect(ssl).to.deep.include({ ca: 'the authority', rejectUnauthorized: true });
        // Node.js would take an empty one for all authorities that it knows.
        await writeFile(file, '\n');
        expect(() => connectionOf(config))
          .to.throw()
          .with.property('code', 'ERR_DATABASE_ACCESS');
        await writeFile(file, 'the authority');
      }
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  const refused: readonly {
    readonly title: string;
    readonly config: Partial<DatabaseConfig>;
    readonly code: string;
  }[] = [
    {
      title: 'an address with an invalid port',
      config: { url: 'postgres://ada:s3cret@db.example:99999/x' },
      code: 'ERR_DATABASE_URL',
    },
    {
      title: 'a password that is not percent-encoded',
      config: { url: 'postgres://ada:s3cret%zz@db.example/x' },
      code: 'ERR_DATABASE_URL',
    },
    {
      title: 'an unknown sslmode',
      config: { url: 'postgres://ada:s3cret@db.example/x?sslmode=on' },
      code: 'ERR_DATABASE_URL',
    },
    {
      title: 'a missing CA file',
      config: {
        url: 'postgres://ada:s3cret@db.example/x',
        sslMode: 'verify-full',
        caCertPath: '/nowhere/ca.pem',
      },
      code: 'ERR_DATABASE_ACCESS',
    },
  ];
  for (const { title, config, code } of refused) {
    it(`throws for ${title}, and shows no password`, () => {
      try {
        connectionOf(config);
        expect.fail('it was accepted');
      } catch (error) {
        if (!isPortolanError(error)) throw error;
        expect(error.code).to.equal(code);
        expect(JSON.stringify([error.message, error.hint, error.cause ?? ''])).to.not.contain('s3cret');
      }
    });
  }
});
