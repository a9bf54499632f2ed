import type { ServiceProgram } from './systemd-unit.ts';

export const AGENT_LABEL = 'dev.portolan.workloads';

/**
 * Returns a launchd agent that starts previously running workloads at login, and does not stop them when it
 * ends (launchd.plist(5)).
 */
export function launchdAgent({ command, environment }: ServiceProgram, logFile: string): string {
  const words = command.map((word) => `    <string>${escaped(word)}</string>`);
  const variables = Object.entries(environment).map(
    ([name, value]) => `    <key>${escaped(name)}</key><string>${escaped(value)}</string>`,
  );
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key><string>${AGENT_LABEL}</string>
  <key>RunAtLoad</key><true/>
  <key>AbandonProcessGroup</key><true/>
  <key>ProgramArguments</key>
  <array>
${words.join('\n')}
  </array>
  <key>EnvironmentVariables</key>
  <dict>
${variables.join('\n')}
  </dict>
  <key>StandardErrorPath</key><string>${escaped(logFile)}</string>
</dict>
</plist>
`;
}

const SIGNS: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

function escaped(text: string): string {
  return text.replaceAll(/[&<>]/g, (sign) => SIGNS[sign] ?? sign);
}
