// Runs `checkAudit` with the settings and the folder of its arguments and prints the problems: for tests that have to
// run it as somebody else.
import type { AuditConfig } from '../src/audit-config.ts';
import { checkAudit } from '../src/check-audit.ts';

const [config = '{}', directory = '.'] = process.argv.slice(2);
// Written by the test.
process.stdout.write(JSON.stringify(checkAudit(JSON.parse(config) as AuditConfig, { directory })));
