import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { run } from '../../../../scripts/run.ts';
import { ROOT } from '../../../../scripts/workspace-packages.ts';
import { splitWords } from '../../../support/examples/read-steps.ts';
import { asHere, shownIn } from '../../../support/examples/shown-in.ts';

/** The images for tests of deployments: that of Portolan, and replacements for those of an image registry. */
export interface DeploymentImages {
  /** Portolan's server, from the Dockerfile. */
  readonly server: string;
  /** PostgreSQL as packaged by Debian, started like the official image. */
  readonly postgres: string;
  /** nginx as packaged by Debian. */
  readonly nginx: string;
}

const ENV = { ...process.env, DOCKER_BUILDKIT: '0' }; // BuildKit's client is a plugin that Debian 12 lacks

/** Files of the official Node.js image that the Dockerfile needs. */
const NODE_BASE = `
FROM portolan-test/node AS node
FROM portolan-test/debian
COPY --from=node /usr/bin/node /usr/bin/node
COPY --from=node /usr/lib/node_modules /usr/lib/node_modules
RUN ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/bin/npm && sed -i /:65532:/d /etc/passwd /etc/group
`;

/** Variables and folder of the official image. A restart finds the existing database. */
const START_POSTGRES = `#!/bin/sh -eu
bin=$(ls -d /usr/lib/postgresql/*/bin)
data=/var/lib/postgresql/data
password=$(cat "$POSTGRES_PASSWORD_FILE")
install -d -o postgres -m 0700 "$data"
install -d -o postgres /var/run/postgresql
as() { setpriv --reuid=postgres --regid=postgres --init-groups "$@"; }
if [ ! -s "$data/PG_VERSION" ]; then
  as "$bin/initdb" -D "$data" -U postgres --auth=scram-sha-256 --pwfile="$POSTGRES_PASSWORD_FILE" >/dev/null
  echo 'host all all all scram-sha-256' >> "$data/pg_hba.conf"
  export PGPASSWORD="$password"
  as "$bin/pg_ctl" -D "$data" -w -o "-c listen_addresses=''" start >/dev/null
  as "$bin/psql" -q -U postgres -c "create role $POSTGRES_USER login password '$password'" \\
    -c "create database $POSTGRES_DB owner $POSTGRES_USER"
  as "$bin/pg_ctl" -D "$data" -w stop >/dev/null
fi
exec setpriv --reuid=postgres --regid=postgres --init-groups "$bin/postgres" -D "$data" -c "listen_addresses=*"
`;

/**
 * Builds the images. Unchanged parts come from the engine's cache. The images stay like the base images,
 * until `scripts/container-env.sh purge` removes them.
 */
export async function provideDeploymentImages(): Promise<DeploymentImages> {
  const images = {
    server: 'portolan-test/server',
    postgres: 'portolan-test/postgres',
    nginx: 'portolan-test/nginx',
  };
  const bin = '/usr/lib/postgresql/15/bin';
  await buildFrom('portolan-test/node-base', NODE_BASE);
  await buildFrom(
    images.postgres,
    `FROM portolan-test/services\nENV PATH=${bin}:/usr/bin:/bin:/usr/sbin:/sbin\nCOPY start /start\nRUN chmod 0755 /start\nENTRYPOINT ["/start"]\n`,
    { start: START_POSTGRES },
  );
  await buildFrom(
    images.nginx,
    'FROM portolan-test/services\nENTRYPOINT ["/usr/sbin/nginx", "-g", "daemon off;"]\n',
  );
  await provideServerImage(images.server);
  return images;
}

/** Builds the Dockerfile of the repository on the test bases, as its guide describes. */
export async function provideServerImage(reference: string): Promise<void> {
  const base = 'portolan-test/node-base';
  await buildFrom(base, NODE_BASE);
  const commit = await run('git', ['rev-parse', 'HEAD'], { cwd: ROOT }).catch(() => '');
  const values = [`BASE=${base}`, `BUILD=${base}`, `COMMIT=${commit.trim()}`];
  const more = values.map((value) => `--build-arg ${value} `).join('');
  const shown = await shownIn('docs/operate/install-container.md', 'docker build ');
  const here = { '-t portolan .': `-q --label portolan.dev/test=base ${more}-t ${reference} .` };
  const [program = '', ...words] = splitWords(asHere(shown, here));
  await run(program, words, { env: ENV, cwd: ROOT });
}

async function buildFrom(
  reference: string,
  dockerfile: string,
  files: Readonly<Record<string, string>> = {},
): Promise<void> {
  const folder = await mkdtemp(path.join(tmpdir(), 'portolan-image-'));
  try {
    for (const [name, text] of Object.entries({ Dockerfile: dockerfile, ...files })) {
      await writeFile(path.join(folder, name), text);
    }
    await run('docker', ['build', '-q', '-t', reference, folder], { env: ENV });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

if (import.meta.main) await provideDeploymentImages();
