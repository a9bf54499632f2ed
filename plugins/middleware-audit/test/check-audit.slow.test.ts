import { execFileSync } from 'node:child_process';
import { chmod, mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import type { AuditConfig } from '../src/audit-config.ts';
import { checkAudit } from '../src/check-audit.ts';
import { useTemporaryFolder } from './temporary-folder.ts';

const usual: AuditConfig = {
  enabled: true,
  includeRequestData: false,
  includeClaimValues: false,
  maxDataSize: 1024,
  maxFileSize: 0,
};

describe('checkAudit', () => {
  const folder = useTemporaryFolder();

  /** Each as `place: found; expected`, without the folder. */
  function problemsOf(config: Partial<AuditConfig>): readonly string[] {
    return checkAudit({ ...usual, ...config }, { directory: folder() }).map(({ place, found, expected }) =>
      `${place}: ${found}; ${expected}`.replaceAll(`${folder()}/`, ''),
    );
  }

  const notThere = 'a regular file or none; for standard output, no logFile';
  const cases: readonly {
    title: string;
    config: Partial<AuditConfig>;
    prepare?: () => unknown;
    expected: readonly string[];
  }[] = [
    { title: 'standard output', config: {}, expected: [] },
    { title: 'a file that is not there yet', config: { logFile: 'audit.log' }, expected: [] },
    {
      title: 'a file that is there, and rotation',
      config: { logFile: 'audit.log', maxFileSize: 1000, maxFiles: 3 },
      prepare: () => writeFile(join(folder(), 'audit.log'), '', { mode: 0o600 }),
      expected: [],
    },
    { title: 'a device', config: { logFile: '/dev/null' }, expected: [] },
    {
      title: 'anything, when it is not enabled',
      config: { enabled: false, logFile: 'missing/audit.log', maxFiles: 3 },
      expected: [],
    },
    {
      title: 'a folder that is missing',
      config: { logFile: 'missing/audit.log' },
      expected: ['logFile: "missing/audit.log", whose folder does not exist; a file in an existing folder'],
    },
    {
      title: 'a file in place of the folder',
      config: { logFile: 'file/audit.log' },
      prepare: () => writeFile(join(folder(), 'file'), ''),
      expected: ['logFile: "file/audit.log", whose folder is not a directory; a file in an existing folder'],
    },
    {
      title: 'a file in place of a folder further up',
      config: { logFile: 'file/below/audit.log' },
      prepare: () => writeFile(join(folder(), 'file'), ''),
      expected: [
        'logFile: "file/below/audit.log", whose folder is not a directory; a file in an existing folder',
      ],
    },
    {
      title: 'a folder in place of the file',
      config: { logFile: 'audit.log' },
      prepare: () => mkdir(join(folder(), 'audit.log')),
      expected: [`logFile: a folder at "audit.log"; ${notThere}`],
    },
    {
      title: 'a link, even one that leads nowhere',
      config: { logFile: 'audit.log' },
      prepare: () => symlink('/nowhere', join(folder(), 'audit.log')),
      expected: [`logFile: a symbolic link at "audit.log"; ${notThere}`],
    },
    {
      title: 'a pipe',
      config: { logFile: 'audit.log' },
      prepare: () => execFileSync('mkfifo', [join(folder(), 'audit.log')]),
      expected: [`logFile: a pipe at "audit.log"; ${notThere}`],
    },
    {
      title: 'a file that is not an audit log',
      config: { logFile: 'profile' },
      prepare: () => writeFile(join(folder(), 'profile'), 'export PATH=/usr/bin\n'),
      expected: ['logFile: "profile", which is not an audit log; no file, or an audit log'],
    },
    {
      title: 'rotation of standard output',
      config: { maxFileSize: 1000 },
      expected: [
        'maxFileSize: 1000 without logFile; a logFile as well, or no value: standard output is not rotated',
      ],
    },
    {
      title: 'several things at once',
      config: { logFile: 'missing/audit.log', maxFiles: 3 },
      expected: [
        'logFile: "missing/audit.log", whose folder does not exist; a file in an existing folder',
        'maxFiles: 3 without maxFileSize; a maxFileSize above 0, or no value',
      ],
    },
  ];
  for (const { title, config, prepare, expected } of cases) {
    it(`${expected.length === 0 ? 'accepts' : 'refuses'} ${title}`, async () => {
      await prepare?.();
      const names = await readdir(folder());
      expect(problemsOf(config)).to.deep.equal(expected);
      expect(await readdir(folder()), 'nothing was made').to.deep.equal(names);
    });
  }

  describe('for an unprivileged user', () => {
    /** As `problemsOf`; root without the right to pass over permissions is such a user, too. */
    function problemsOfOther(config: Partial<AuditConfig>): readonly string[] {
      const script = join(import.meta.dirname, 'print-audit-problems.ts');
      const check = [
        '--conditions=@portolan/source',
        script,
        JSON.stringify({ ...usual, ...config }),
        folder(),
      ];
      const printed =
        process.geteuid?.() === 0
          ? execFileSync('setpriv', [
              '--bounding-set=-dac_override,-dac_read_search',
              process.execPath,
              ...check,
            ])
          : execFileSync(process.execPath, check);
      const problems = JSON.parse(String(printed)) as ReturnType<typeof checkAudit>;
      return problems.map(({ found }) => found.replaceAll(`${folder()}/`, ''));
    }

    it('reports a folder and a file without write permission', async () => {
      await mkdir(join(folder(), 'closed'), { mode: 0o500 });
      await writeFile(join(folder(), 'audit.log'), '', { mode: 0o400 });
      expect(problemsOfOther({ logFile: 'closed/audit.log' })).to.deep.equal([
        '"closed/audit.log", whose folder is not writable',
      ]);
      expect(problemsOfOther({ logFile: 'audit.log' })).to.deep.equal([
        '"audit.log", which is not readable and writable',
      ]);
      await chmod(join(folder(), 'closed'), 0o700);
    });
  });
});
