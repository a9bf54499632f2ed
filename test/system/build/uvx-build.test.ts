import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'chai';
import { askInitialize, runToEnd } from './support/ask-server.ts';
import { BuildStage } from './support/build-stage.ts';
import { ENTRY_SCRIPT } from '../../../plugins/scheme-uvx/src/build-scripts.ts';
import { PYTHON_HOST } from './support/local-indexes.ts';
import { publishWheel, SERVER } from './support/python-package.ts';

/** Build system of a project that needs no package of an index. */
const BACKEND = `import os, zipfile

def build_wheel(folder, settings=None, metadata=None):
    assert not os.path.exists(".venv")
    name, info = "local_notes-1.0-py3-none-any.whl", "local_notes-1.0.dist-info/"
    files = {
        "local_notes.py": open("server.py").read(),
        info + "METADATA": "Metadata-Version: 2.1\\nName: local-notes\\nVersion: 1.0\\nRequires-Dist: extra-part\\n",
        info + "WHEEL": "Wheel-Version: 1.0\\nGenerator: test\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n",
        info + "entry_points.txt": "[console_scripts]\\none = local_notes:main\\ntwo = local_notes:main\\n",
    }
    files[info + "RECORD"] = "".join(file + ",,\\n" for file in [*files, info + "RECORD"])
    with zipfile.ZipFile(os.path.join(folder, name), "w") as wheel:
        for file, text in files.items():
            wheel.writestr(file, text)
    return name
`;

describe('package builds of uvx:// targets', function () {
  this.timeout(120_000);
  const stage = new BuildStage();
  before(async function () {
    await stage.open(this, ['python-plain']);
    for (const version of ['1.9', '1.10', '2.0rc1']) publishWheel(stage.indexes, 'py-notes', version);
    publishWheel(stage.indexes, 'py-notes', '1.11', { isWithdrawn: true });
    publishWheel(stage.indexes, 'extra-part', '3.0');
  });
  after(async () => {
    await stage.close();
  });

  const context = (): ReturnType<BuildStage['context']> => {
    const usual = stage.context();
    const environment = { ...usual.environment, UV_INDEX_URL: `https://${PYTHON_HOST}/simple` };
    return { ...usual, environment };
  };

  it('builds the newest release that is not yanked, with extra requirements, into a working server', async () => {
    const request = stage.request('uvx://py_notes', 'python-plain', {
      buildWith: ['extra-part<4'],
      entryArguments: ['always'],
    });
    const built = await stage.provide(request, context());
    expect(built).to.deep.include({ built: true, notes: [] });
    expect(built.package).to.deep.include({ version: '1.10' });
    expect(built.reference).to.match(/^portolanlocal\/uvx-py-notes:[0-9a-f]{16}$/);
    const container = { image: built.reference, labels: stage.engine.labels };
    const { serverInfo } = await askInitialize(stage.engine.runtime, {
      ...container,
      name: stage.engine.name(),
      command: ['now'],
    });
    expect(serverInfo.name).to.equal('pynotes always now');
    const script = `import extra_part, getpass, os, pwd, ssl
home = os.path.expanduser("~")
print(getpass.getuser(), pwd.getpwuid(os.getuid()).pw_dir, open(home + "/x", "w").write("x"), len(ssl.create_default_context().get_ca_certs()) > 0, os.getuid(),
      open(os.environ["REQUESTS_CA_BUNDLE"]).read() == open(os.environ["SSL_CERT_FILE"]).read())`;
    const said = await runToEnd(stage.engine.runtime, {
      ...container,
      name: stage.engine.name(),
      entrypoint: ['/opt/tools/py-notes/bin/python', '-c', script],
    });
    expect(said).to.equal('app /tmp 1 True 65532 True');
    expect(new Set(stage.indexes.tunnels)).to.deep.equal(new Set([`${PYTHON_HOST}:443`]));
    expect((await stage.provide(request, context())).built).to.equal(false);
  });

  it('builds a local folder with its own build system', async () => {
    const root = stage.path('python-project');
    await mkdir(path.join(root, '.venv'), { recursive: true });
    await writeFile(path.join(root, '.venv', 'x'), 'of this machine');
    await writeFile(
      path.join(root, 'pyproject.toml'),
      `[build-system]
requires = []
build-backend = "backend"
backend-path = ["."]

[project]
name = "Local_Notes"
version = "1.0"
dependencies = ["extra-part"]

[project.scripts]
one = "local_notes:main"
two = "local_notes:main"
`,
    );
    await writeFile(path.join(root, 'server.py'), SERVER);
    await writeFile(path.join(root, 'backend.py'), BACKEND);
    const request = stage.request('uvx://./python-project#two', 'python-plain');
    const built = await stage.provide(request, context());
    expect(built.reference).to.match(/^portolanlocal\/uvx-python-project:[0-9a-f]{16}$/);
    const container = { image: built.reference, labels: stage.engine.labels, name: stage.engine.name() };
    expect((await askInitialize(stage.engine.runtime, container)).serverInfo.name).to.equal('pynotes');
    expect((await stage.provide(request, context())).built).to.equal(false);
    await writeFile(path.join(root, 'server.py'), SERVER.replace('pynotes', 'changed'));
    const changed = await stage.provide(request, context());
    const other = { ...container, image: changed.reference, name: stage.engine.name() };
    expect((await askInitialize(stage.engine.runtime, other)).serverInfo.name).to.equal('changed');
  });

  for (const { title, files, says } of [
    {
      title: 'names the programs of a package with several',
      files: ['../../usr/bin/one,,', '../../usr/bin/two,,'],
      says: 'portolan: many has several programs, and none is called like it: one, two. Name one: uvx://many#one',
    },
    {
      title: 'rejects a package without a program',
      files: ['many.py,,', '../../usr/share/one,,'],
      says: 'portolan: many has no program that could be run',
    },
  ]) {
    it(title, async () => {
      const script = [
        'import os, sys',
        'os.makedirs("/tmp/lib/many-1.0.dist-info")',
        'def write(name, text): open("/tmp/lib/many-1.0.dist-info/" + name, "w").write(text)',
        'write("METADATA", "Metadata-Version: 2.1\\nName: many\\nVersion: 1.0\\n")',
        `write("RECORD", ${JSON.stringify(files.join('\n'))})`,
        'sys.path.insert(0, "/tmp/lib")',
        'sys.argv = ["-c", "many"]',
        // A JSON string is also a Python string.
        `exec(${JSON.stringify(ENTRY_SCRIPT)})`,
      ];
      const said = await runToEnd(stage.engine.runtime, {
        name: stage.engine.name(),
        image: stage.base('python-plain'),
        labels: stage.engine.labels,
        entrypoint: ['python3', '-c', script.join('\n')],
      });
      expect(said).to.equal(says);
    });
  }
});
