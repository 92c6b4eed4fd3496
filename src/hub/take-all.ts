import type { Call, Hub } from './hub.js';

/** As many as kubectl asks for at once. */
const pageSize = 500;

/** Hands over every object of a list, page by page, each as soon as it has come. The path may have a query. */
export async function takeAll(
  hub: Pick<Hub, 'list'>,
  call: Pick<Call, 'path' | 'accept' | 'signal'>,
  take: (item: unknown) => void,
): Promise<void> {
  const first = `${call.path}${call.path.includes('?') ? '&' : '?'}limit=${String(pageSize)}`;
  let next = '';
  do {
    const path = next === '' ? first : `${first}&continue=${encodeURIComponent(next)}`;
    ({ next } = await hub.list({ ...call, path }, take));
  } while (next !== '');
}
