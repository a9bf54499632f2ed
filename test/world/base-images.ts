import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { run } from '../../scripts/run.ts';
import { findPython } from './host-programs.ts';
import type { WorldPackage } from './packages.ts';

/** Node.js on Debian, as the `slim` variants of the official image have it. */
const NODE = `
FROM portolan-test/node AS node
FROM portolan-test/debian
COPY --from=node /usr/bin/node /usr/bin/node
COPY --from=node /usr/lib/node_modules /usr/lib/node_modules
RUN for name in npm npx; do ln -s ../lib/node_modules/npm/bin/$name-cli.js /usr/bin/$name; done && sed -i /:65532:/d /etc/passwd /etc/group
`;

/** Java on Debian. Only SDKs need it: no scheme runs packages of Java. */
const JAVA = `
FROM portolan-test/debian
RUN mkdir -p /usr/share/man/man1 && apt-get update -qq && apt-get install -qq -y --no-install-recommends openjdk-17-jre-headless >/dev/null && rm -rf /var/lib/apt/lists/*
`;

/** Debian packages with the libraries that a Python from source is linked to, as the `slim` variants have them. */
const PYTHON_LIBRARIES = 'libbz2-1.0 libffi8 liblzma5 libncursesw6 libreadline8 libsqlite3-0 libssl3 zlib1g';

/**
 * Returns the base image for a package. The images are made from Debian, as the default images of users are,
 * because native programs need the libraries of a distribution. The engine keeps and reuses them.
 */
export class BaseImages {
  readonly #images = new Map<string, Promise<string>>();

  /** Returns the base image for packages of the scheme of `target`, or for a server of the SDK for Java. */
  async provideFor({
    target,
    python,
  }: {
    readonly target: WorldPackage['target'] | 'java://server';
    readonly python?: WorldPackage['python'];
  }): Promise<string> {
    const scheme = target.slice(0, target.indexOf(':'));
    const key = `${scheme} ${python}`;
    const known = this.#images.get(key) ?? makeImage(scheme, python);
    this.#images.set(key, known);
    return await known;
  }
}

async function makeImage(scheme: string, minor: number | undefined): Promise<string> {
  if (scheme === 'go') return 'portolan-test/go';
  if (scheme === 'npx') {
    await buildImage('portolan-test/world-node', NODE, tmpdir());
    return 'portolan-test/world-node';
  }
  if (scheme === 'java') {
    await buildImage('portolan-test/world-java', JAVA, tmpdir());
    return 'portolan-test/world-java';
  }
  const python = findPython(minor);
  if (python === '/usr/bin/python3') return 'portolan-test/python';
  const reference = `portolan-test/world-python${minor === undefined ? '' : `-3.${minor}`}`;
  await buildPythonImage(reference, path.resolve(python, '../..'));
  return reference;
}

/** Copies a Python of this machine to the same path of an image. */
async function buildPythonImage(reference: string, prefix: string): Promise<void> {
  const dockerfile = `
FROM portolan-test/debian
RUN apt-get update -qq && apt-get install -qq -y --no-install-recommends ${PYTHON_LIBRARIES} >/dev/null && rm -rf /var/lib/apt/lists/* && sed -i /:65532:/d /etc/passwd /etc/group
COPY . ${prefix}
RUN ln -s ${prefix}/bin/python3 /usr/local/bin/python3 && ln -s python3 /usr/local/bin/python && chmod a+rx /root
`;
  await buildImage(reference, dockerfile, prefix);
}

async function buildImage(reference: string, dockerfile: string, context: string): Promise<void> {
  const folder = await mkdtemp(path.join(tmpdir(), 'portolan-image-'));
  try {
    const file = path.join(folder, 'Dockerfile');
    await writeFile(file, dockerfile);
    const isEmpty = context === tmpdir();
    await run('docker', ['build', '-q', '-f', file, '-t', reference, isEmpty ? folder : context], {
      env: { ...process.env, DOCKER_BUILDKIT: '0' },
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
