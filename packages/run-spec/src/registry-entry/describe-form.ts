import type { ServerForm } from './server-settings.ts';

export function describeForm(runs: ServerForm): string {
  if (runs.form === 'image') return runs.image;
  return runs.form === 'package' ? `${runs.scheme}://${runs.package}` : runs.url.text;
}
