import { AUDIT } from '../config/core-schema.ts';
import { parseHostPattern } from '../config/host-pattern.ts';
import { isPlainMap } from '../config/plain-data.ts';
import { formatConfigPath } from '../faults/config-path.ts';
import { type ConfigProblem, configProblem } from '../faults/config-problem.ts';
import { describeValue } from '../faults/describe-value.ts';
import { checkAuth } from './rules/auth-rules.ts';
import { checkDatabase } from './rules/database-rules.ts';
import { checkRegistries } from './rules/registry-rules.ts';
import type { Report, RuleInput } from './rules/rule.ts';
import { checkServer } from './rules/server-rules.ts';
import { checkSessions } from './rules/session-rules.ts';
import { checkSources } from './rules/source-rules.ts';

/** Checks rules that schemas cannot express. Skips malformed parts, which the schemas report. */
export function checkConfigRules(input: RuleInput): readonly ConfigProblem[] {
  const problems: ConfigProblem[] = [];
  const report: Report = (place, actual, expected, didYouMean) => {
    problems.push(
      configProblem(formatConfigPath(place), actual, expected, {
        didYouMean,
        position: input.positionOf(place),
      }),
    );
  };
  checkSources(input, report);
  checkRegistries(input.config, report);
  checkAuth(input, report);
  checkDatabase(input.config, report);
  checkServer(input.config, report);
  checkAudit(input.config, report);
  checkApiSources(input.config, report);
  checkTelemetry(input.config, report);
  checkSessions(input, report);
  return problems;
}

function checkAudit({ audit, middleware }: Readonly<Record<string, unknown>>, report: Report): void {
  if (audit !== undefined && isPlainMap(middleware) && Object.hasOwn(middleware, AUDIT)) {
    report([AUDIT], 'audit and middleware.audit', 'one of the two: they are the same settings');
  }
}

function checkApiSources({ apiSources }: Readonly<Record<string, unknown>>, report: Report): void {
  const hosts = isPlainMap(apiSources) ? apiSources['allowedHosts'] : undefined;
  for (const [index, host] of (Array.isArray(hosts) ? hosts : []).entries()) {
    if (typeof host !== 'string' || host === '' || parseHostPattern(host) !== undefined) continue;
    const expected = 'a host such as files.acme.example, or *.acme.example; without scheme, port or path';
    report(['apiSources', 'allowedHosts', index], describeValue(host), expected);
  }
}

function checkTelemetry({ telemetry }: Readonly<Record<string, unknown>>, report: Report): void {
  const tracing = isPlainMap(telemetry) ? telemetry['tracing'] : undefined;
  if (isPlainMap(tracing) && tracing['sampling'] === 0)
    report(['telemetry', 'tracing', 'sampling'], '0', 'a share above 0; "enabled: false" traces nothing');
}
