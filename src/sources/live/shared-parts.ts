/** Something that several kept objects have alike. */
interface Part {
  readonly key: string;
  readonly value: unknown;
  uses: number;
}

/** What one kept object has of the parts; one entry a use. */
export type Uses = Part[];

/** Two bytes a character at most. */
const bytesIn = (key: string): number => 2 * key.length;

/**
 * Keeps once what many objects have alike, for as long as one of them is kept: a part goes with the last object that
 * uses it.
 */
export class SharedParts {
  private readonly parts = new Map<string, Part>();
  private bytes = 0;

  /** How much is kept now. */
  get size(): { readonly parts: number; readonly bytes: number } {
    return { parts: this.parts.size, bytes: this.bytes };
  }

  /** The part of this key. Without `uses` a part that is not there yet is made, and not kept. */
  once<T>(key: string, uses: Uses | undefined, make: () => T): T {
    const known = this.parts.get(key);
    if (uses === undefined) return known === undefined ? make() : (known.value as T);
    const part = known ?? this.keep({ key, value: make(), uses: 0 });
    part.uses += 1;
    uses.push(part);
    return part.value as T;
  }

  release(uses: Uses): void {
    for (const part of uses) {
      part.uses -= 1;
      if (part.uses > 0) continue;
      this.parts.delete(part.key);
      this.bytes -= bytesIn(part.key);
    }
  }

  private keep(part: Part): Part {
    this.parts.set(part.key, part);
    this.bytes += bytesIn(part.key);
    return part;
  }
}
