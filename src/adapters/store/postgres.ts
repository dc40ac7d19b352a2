/** placeholder */
import type { Driver } from "./sql.ts";
export async function openPostgres(_url: string): Promise<Driver> {
  throw new Error("soon");
}
