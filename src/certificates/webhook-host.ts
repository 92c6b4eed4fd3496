import { fieldOf } from '../fleet/json.js';

/** The name that the API server looks for in the certificate, by the `clientConfig` of a webhook. */
export function hostOf(client: unknown): string | undefined {
  const [service, url] = [fieldOf(client, 'service'), fieldOf(client, 'url')];
  if (service !== undefined) return `${String(fieldOf(service, 'name'))}.${String(fieldOf(service, 'namespace'))}.svc`;
  return typeof url === 'string' && URL.canParse(url) ? hostnameIn(url) : undefined;
}

/** An IPv6 address stands in brackets in a URL, and nowhere else. */
export function hostnameIn(url: string): string {
  return new URL(url).hostname.replace(/^\[|\]$/g, '');
}
