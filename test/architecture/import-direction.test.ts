import { expect } from 'chai';
import path from 'node:path';
import { findViolations } from './find-violations.ts';
import { readWorkspace, type Unit, type Workspace } from './workspace.ts';

const root = path.resolve(import.meta.dirname, '../..');

describe('imports in the repository', function () {
  this.timeout(180_000); // The hook parses every file of the repository.

  it('are permitted by the import table', async () => {
    const workspace = await readWorkspace(root);
    expect(workspace.units.map((unit) => unit.name)).to.include('@portolan/kernel');
    expect(findViolations(workspace).join('\n')).to.equal('');
  });
});

describe('findViolations', () => {
  const kernel = 'packages/kernel/src/boot.ts';
  const cases: readonly {
    readonly title: string;
    readonly files: Readonly<Record<string, string>>;
    readonly finds: string;
  }[] = [
    {
      title: 'refuses an import against the direction',
      files: { [kernel]: `import { openStore } from '@portolan/registry';` },
      finds: `${kernel}:1 imports @portolan/registry; @portolan/kernel may import @portolan/plugin-api`,
    },
    {
      title: 'refuses an import of a type against the direction',
      files: { [kernel]: `\n\nimport type { Store } from '@portolan/registry';` },
      finds: `${kernel}:3 imports @portolan/registry`,
    },
    {
      title: 'refuses an export against the direction',
      files: { [kernel]: `export * from '@portolan/registry';` },
      finds: 'imports @portolan/registry',
    },
    {
      title: 'refuses a named export against the direction',
      files: { [kernel]: `export type { Store } from '@portolan/registry';` },
      finds: 'imports @portolan/registry',
    },
    {
      title: 'refuses a dynamic import against the direction',
      files: { [kernel]: `const registry = await import('@portolan/registry');` },
      finds: 'imports @portolan/registry',
    },
    {
      title: 'refuses a dynamic import of a template against the direction',
      files: { [kernel]: 'const registry = await import(`@portolan/registry`);' },
      finds: 'imports @portolan/registry',
    },
    {
      title: 'refuses a type query against the direction',
      files: { [kernel]: `type Store = import('@portolan/registry').Store;` },
      finds: 'imports @portolan/registry',
    },
    {
      title: 'refuses a dynamic import with a computed name',
      files: { [kernel]: `const plugin = await import(name);` },
      finds: `${kernel}:1 imports something computed`,
    },
    {
      title: 'refuses a deep path by name',
      files: { [kernel]: `import { ROLES } from '@portolan/plugin-api/src/claims.ts';` },
      finds: 'imports "@portolan/plugin-api/src/claims.ts" by a deep path',
    },
    {
      title: 'refuses a deep path by relative import',
      files: { [kernel]: `import { ROLES } from '../../plugin-api/src/claims.ts';` },
      finds: 'imports "../../plugin-api/src/claims.ts", which leaves packages/kernel',
    },
    {
      title: 'refuses an absolute path',
      files: { [kernel]: `import { ROLES } from '/srv/claims.ts';` },
      finds: 'imports "/srv/claims.ts" by an absolute path',
    },
    {
      title: 'refuses tests in src',
      files: { [kernel]: `import { fake } from '../test/fake.ts';` },
      finds: 'imports "../test/fake.ts" from its tests',
    },
    {
      title: 'refuses an undeclared package',
      files: { [kernel]: `import leftPad from 'left-pad/index.js';` },
      finds: 'imports left-pad, which packages/kernel/package.json does not declare',
    },
    {
      title: 'refuses a test tool in src',
      files: { [kernel]: `import { expect } from 'chai';` },
      finds: 'imports chai, which packages/kernel/package.json does not declare',
    },
    {
      title: 'refuses Koa outside of the server',
      files: { [kernel]: `import type { Middleware } from 'koa';` },
      finds: 'imports koa, which is kept to @portolan/registry-server',
    },
    {
      title: 'refuses Koa as a value in the contract',
      files: { 'packages/plugin-api/src/index.ts': `import Koa from 'koa';` },
      finds: 'imports koa, which is kept to @portolan/registry-server',
    },
    {
      title: 'refuses oclif outside of the cli package',
      files: { [kernel]: `import { Command } from '@oclif/core';` },
      finds: 'imports @oclif/core, which is kept to @portolan/cli',
    },
    {
      title: 'refuses SQL outside of the registry',
      files: { [kernel]: `import { Migrator } from 'kysely/migration';` },
      finds: 'imports kysely, which is kept to @portolan/registry',
    },
    {
      title: 'refuses a database driver outside of the registry',
      files: { [kernel]: `import { DatabaseSync } from 'node:sqlite';` },
      finds: 'imports node:sqlite, which is kept to @portolan/registry',
    },
    {
      title: 'refuses an import of a plugin in a package',
      files: { 'packages/cli/src/serve.ts': `import plugin from '@portolan/source-file';` },
      finds: 'imports the plugin @portolan/source-file',
    },
    {
      title: 'refuses an import of the kernel in a plugin',
      files: { 'plugins/source-file/src/index.ts': `import { bootKernel } from '@portolan/kernel';` },
      finds: 'imports @portolan/kernel; @portolan/source-file may import @portolan/plugin-api',
    },
    {
      title: 'refuses an import of internal modules in an example',
      files: { 'examples/tour/wiki-source.ts': `import { bootKernel } from '@portolan/kernel';` },
      finds: 'imports @portolan/kernel; examples/tour may import @portolan/plugin-api',
    },
    {
      title: 'refuses an import cycle of files',
      files: {
        [kernel]: `import './b.ts';`,
        'packages/kernel/src/b.ts': `export * from './c.ts';`,
        'packages/kernel/src/c.ts': `import './boot.ts';`,
      },
      finds: `${kernel} is part of a cycle: ${kernel} → packages/kernel/src/b.ts → packages/kernel/src/c.ts → ${kernel}`,
    },
    {
      title: 'refuses an import cycle of packages',
      files: {
        [kernel]: `import type { Plugin } from '@portolan/plugin-api';`,
        'packages/plugin-api/src/index.ts': `import type { Kernel } from '@portolan/kernel';`,
      },
      finds: 'is part of a cycle: @portolan/kernel → @portolan/plugin-api → @portolan/kernel',
    },
    {
      title: 'refuses a package without a row in the table',
      files: { 'packages/novelty/src/index.ts': '' },
      finds: 'packages/novelty has no row in import-table.ts',
    },
  ];
  for (const { title, files, finds } of cases) {
    it(title, () => {
      expect(findViolations(workspaceOf(files), {}).join('\n')).to.include(finds);
    });
  }

  const allowed: readonly { readonly title: string; readonly files: Readonly<Record<string, string>> }[] = [
    {
      title: 'accepts imports that the table permits',
      files: { [kernel]: `import type { Plugin } from '@portolan/plugin-api';\nimport fs from 'node:fs';` },
    },
    {
      title: 'accepts a declared package with its deep paths',
      files: { [kernel]: `import Ajv from 'ajv/dist/2020.js';` },
    },
    {
      title: 'accepts a subpath that the package exports',
      files: {
        [kernel]: `import { ROLES } from '@portolan/plugin-api/claims';`,
        'packages/plugin-api/src/claims.ts': '',
      },
    },
    {
      title: 'accepts plugin-testing and test tools in tests',
      files: {
        'plugins/source-file/test/file-source.test.ts': `import { expect } from 'chai';
          import { sourceContract } from '@portolan/plugin-testing';
          import { fileSource } from '../src/file-source.ts';`,
      },
    },
    {
      title: 'accepts types of Koa in the contract',
      files: { 'packages/plugin-api/src/index.ts': `import type { Middleware } from 'koa';` },
    },
    {
      title: 'accepts types that refer to each other',
      files: {
        [kernel]: `import type { B } from './b.ts';`,
        'packages/kernel/src/b.ts': `import { boot } from './boot.ts';`,
      },
    },
    {
      title: 'ignores comments and strings',
      files: {
        [kernel]: `// import '@portolan/registry'\nexport const text = "import '@portolan/registry'";`,
      },
    },
  ];
  for (const { title, files } of allowed) {
    it(title, () => {
      expect(findViolations(workspaceOf(files), {})).to.deep.equal([]);
    });
  }
});

describe('findViolations, for the layers of a package', () => {
  const src = 'packages/kernel/src';
  const wings = { '@portolan/kernel': ['errors.ts', 'config', 'kinds', 'index.ts'] };
  const all = {
    [`${src}/errors.ts`]: '',
    [`${src}/config/find.ts`]: `import { notFound } from '../errors.ts';`,
    [`${src}/kinds/table.ts`]: `import { find } from '../config/find.ts';\nimport { notFound } from '../errors.ts';`,
    [`${src}/index.ts`]: `export { table } from './kinds/table.ts';`,
    'packages/kernel/test/table.test.ts': `import { table } from '../src/kinds/table.ts';`,
  };
  const cases: readonly {
    readonly title: string;
    readonly file: string;
    readonly text: string;
    readonly finds: string;
  }[] = [
    {
      title: 'refuses an import of a layer to the right',
      file: `${src}/config/find.ts`,
      text: `\nimport { table } from '../kinds/table.ts';`,
      finds: `${src}/config/find.ts:2 imports "../kinds/table.ts", an arrow upward in @portolan/kernel: config may import errors.ts`,
    },
    {
      title: 'refuses a type import of a layer to the right',
      file: `${src}/config/find.ts`,
      text: `import type { Table } from '../kinds/table.ts';`,
      finds: 'imports "../kinds/table.ts", an arrow upward',
    },
    {
      title: 'refuses a dynamic import of a layer to the right',
      file: `${src}/config/find.ts`,
      text: `const { table } = await import('../kinds/table.ts');`,
      finds: 'imports "../kinds/table.ts", an arrow upward',
    },
    {
      title: 'refuses every import in the lowest layer',
      file: `${src}/errors.ts`,
      text: `import type { Config } from './config/find.ts';`,
      finds: `${src}/errors.ts:1 imports "./config/find.ts", an arrow upward in @portolan/kernel: errors.ts may import no other wing`,
    },
    {
      title: 'refuses a folder that is no layer',
      file: `${src}/novelty/new.ts`,
      text: '',
      finds: `${src}/novelty/new.ts is in no wing of @portolan/kernel`,
    },
    {
      title: 'refuses a single file that is not listed',
      file: `${src}/new.ts`,
      text: '',
      finds: `${src}/new.ts is in no wing of @portolan/kernel`,
    },
  ];
  for (const { title, file, text, finds } of cases) {
    it(title, () => {
      expect(findViolations(workspaceOf({ ...all, [file]: text }), wings).join('\n')).to.include(finds);
    });
  }

  it('accepts imports from the same layer and from layers to its left, and any import in tests', () => {
    expect(findViolations(workspaceOf(all), wings)).to.deep.equal([]);
  });

  it('reports a layer of the table without files', () => {
    const listed = { '@portolan/kernel': [...wings['@portolan/kernel'], 'gone'] };
    expect(findViolations(workspaceOf(all), listed).join('\n')).to.equal(
      'packages/kernel/src has no "gone"; take it out of the wings in import-table.ts',
    );
  });
});

const DEPENDENCIES: Readonly<Record<string, readonly string[]>> = {
  'plugin-api': ['@portolan/kernel', '@types/koa'],
  kernel: ['@portolan/plugin-api', '@portolan/registry', 'ajv'],
  'source-file': ['@portolan/plugin-api'],
};

/** Returns a workspace with these files and their packages. */
function workspaceOf(files: Readonly<Record<string, string>>): Workspace {
  const folders = new Set(Object.keys(files).map((file) => file.split('/').slice(0, 2).join('/')));
  folders.add('plugins/source-file');
  const units = [...folders].map((folder): Unit => {
    const [place, name = ''] = folder.split('/');
    return {
      name: place === 'examples' ? folder : `@portolan/${name}`,
      folder,
      sort: place === 'packages' ? 'package' : place === 'plugins' ? 'plugin' : 'example',
      dependencies: DEPENDENCIES[name] ?? [],
      devDependencies: [],
      exports: name === 'plugin-api' ? ['@portolan/plugin-api', '@portolan/plugin-api/claims'] : [],
      files: new Map(Object.entries(files).filter(([file]) => file.startsWith(`${folder}/`))),
    };
  });
  return { units, testTools: ['chai', 'mocha'] };
}
