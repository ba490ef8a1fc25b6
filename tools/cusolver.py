"""Measures NVIDIA's cuSOLVER by direct calls, with the data on the device, and checks the results.

usage: cusolver.py [--library PATH] [--seconds S] [--json FILE] TASK...

Tasks are lists of orders, like syevd:f64:1024,4096:nv, with the number type (f64, f32, c128, c64) and
n (values only), v (vectors) or both, and after it a for every algorithm of the library (0, 1 and 2), e for
its emulated products. syevd, batched (sizes like 16x50000) and gesvd (v: thin vectors) are known.
One row per call: the least wall time of up to six calls, the bytes of workspace, and the larger of LAPACK's
ratios of residual and orthogonality where there are vectors. Needs PyTorch for memory and checks.
"""
import argparse, ctypes, glob, json, os, time
import torch

C = ctypes.c_int64
NUMBERS = {"f64": (torch.float64, 1, 1, torch.float64), "f32": (torch.float32, 0, 0, torch.float32),
           "c128": (torch.complex128, 5, 1, torch.float64), "c64": (torch.complex64, 4, 0, torch.float32)}
SYEVBATCHED, SYEVD, GESVD = 2, 4, 5


def library(path):
    torch.ones(8, 8, device="cuda").mm(torch.ones(8, 8, device="cuda"))
    if not path:
        path = sorted(glob.glob(os.path.join(os.path.dirname(torch.__file__), "..", "nvidia", "**", "libcusolver.so*"), recursive=True))[0]
    return ctypes.CDLL(path)


def pointer(t):
    return ctypes.c_void_p(t.data_ptr() if t is not None else 0)


def random(shape, dtype, seed):
    g = torch.Generator(device="cuda").manual_seed(seed)
    return torch.randn(shape, device="cuda", dtype=dtype, generator=g)


class Bench:
    def __init__(self, o):
        self.lib, self.o, self.began = library(o.library), o, time.time()
        v = ctypes.c_int()
        self.lib.cusolverGetVersion(ctypes.byref(v))
        self.by = "cuSOLVER %d.%d.%d" % (v.value // 1000, v.value // 100 % 10, v.value % 100)
        self.handle = ctypes.c_void_p()
        self.ok(self.lib.cusolverDnCreate(ctypes.byref(self.handle)))

    def ok(self, status):
        if status:
            raise RuntimeError("status %d" % status)

    def params(self, function, alg):
        p = ctypes.c_void_p()
        self.ok(self.lib.cusolverDnCreateParams(ctypes.byref(p)))
        if alg is not None:
            self.ok(self.lib.cusolverDnSetAdvOptions(p, function, alg))
        return p

    def run(self, row, size, call, restore, check, host=None):
        """`size` writes the sizes of the two workspaces, which `call` takes. `restore` brings the
        input back. `check` returns ratios."""
        d, h = ctypes.c_size_t(), ctypes.c_size_t()
        self.ok(size(ctypes.byref(d), ctypes.byref(h)))
        bd = torch.empty(d.value + 8, device="cuda", dtype=torch.uint8)
        bh = torch.empty(h.value + 8, dtype=torch.uint8)
        best, wall, t0 = [], [], time.time()
        for i in range(6):
            restore()
            torch.cuda.synchronize()
            t = time.perf_counter()
            self.ok(call(pointer(bd), d, pointer(bh), h))
            torch.cuda.synchronize()
            best.append(time.perf_counter() - t)
            if time.time() - t0 > self.o.seconds and i:
                break
        del bd
        row.update(seconds_best=min(best), seconds_first=best[0], calls=len(best), workspace_bytes=d.value)
        if host:
            for _ in range(2):
                torch.cuda.synchronize()
                bd = torch.empty(d.value + 8, device="cuda", dtype=torch.uint8)
                t = time.perf_counter()
                host(lambda: self.ok(call(pointer(bd), d, pointer(bh), h)))
                wall.append(time.perf_counter() - t)
                del bd
            row.update(seconds_from_host=min(wall))
        row.update(ratio=check())
        return row

    def syevd(self, number, n, jobz, alg):
        dt, code, rcode, rdt = NUMBERS[number]
        a0 = random((n, n), dt, n)
        a0 = ((a0 + a0.mH) / 2).contiguous()
        a, w, info = a0.clone(), torch.empty(n, device="cuda", dtype=rdt), torch.zeros(1, device="cuda", dtype=torch.int32)
        p = self.params(SYEVD, alg)
        head = (self.handle, p, jobz, 0, C(n), code, pointer(a), C(n), rcode, pointer(w), code)
        def check():
            assert int(info[0]) == 0
            if not jobz or n > 16384:
                return None
            v = a.mT if not dt.is_complex else a.T  # column-major
            scale = n * torch.finfo(rdt).eps
            am = a0.mT if dt.is_complex else a0
            r = float((am @ v - v * w).abs().sum(0).max() / am.abs().sum(0).max() / scale)
            q = v.mH @ v
            q.diagonal().sub_(1)
            return max(r, float(q.abs().sum(0).max() / scale))
        return self.run({}, lambda d, h: self.lib.cusolverDnXsyevd_bufferSize(*head, d, h),
                        lambda bd, d, bh, h: self.lib.cusolverDnXsyevd(*head, bd, d, bh, h, pointer(info)),
                        lambda: a.copy_(a0), check)

    def batched(self, number, size, jobz, alg):
        n, count = size
        dt, code, rcode, rdt = NUMBERS[number]
        a0 = random((count, n, n), dt, n)
        a0 = ((a0 + a0.mH) / 2).contiguous()
        a, w = a0.clone(), torch.empty((count, n), device="cuda", dtype=rdt)
        info = torch.zeros(count, device="cuda", dtype=torch.int32)
        p = self.params(SYEVBATCHED, alg)
        head = (self.handle, p, jobz, 0, C(n), code, pointer(a), C(n), rcode, pointer(w), code)
        host, out_w = a0.cpu().pin_memory(), torch.empty((count, n), dtype=rdt).pin_memory()
        out = torch.empty_like(host).pin_memory() if jobz else None
        def from_host(call):
            a.copy_(host, non_blocking=True)
            call()
            out_w.copy_(w, non_blocking=True)
            if jobz:
                out.copy_(a, non_blocking=True)
            torch.cuda.synchronize()
        def check():
            assert int(info.abs().max()) == 0
            if not jobz:
                return None
            v, scale = a.mT, n * torch.finfo(rdt).eps
            r = float(((a0.mT @ v - v * w[:, None, :]).abs().sum(1).amax(1) / a0.abs().sum(1).amax(1)).max() / scale)
            q = v.mH @ v
            q.diagonal(dim1=1, dim2=2).sub_(1)
            return max(r, float(q.abs().sum(1).amax() / scale))
        return self.run({}, lambda d, h: self.lib.cusolverDnXsyevBatched_bufferSize(*head, d, h, C(count)),
                        lambda bd, d, bh, h: self.lib.cusolverDnXsyevBatched(*head, bd, d, bh, h, pointer(info), C(count)),
                        lambda: a.copy_(a0), check, from_host)

    def gesvd(self, number, n, jobz, alg):
        dt, code, rcode, rdt = NUMBERS[number]
        a0 = random((n, n), dt, n)
        a, s, info = a0.clone(), torch.empty(n, device="cuda", dtype=rdt), torch.zeros(1, device="cuda", dtype=torch.int32)
        u = torch.empty((n, n), device="cuda", dtype=dt) if jobz else None
        vt = torch.empty((n, n), device="cuda", dtype=dt) if jobz else None
        job = ctypes.c_byte(ord("S" if jobz else "N"))
        p = self.params(GESVD, alg)
        head = (self.handle, p, job, job, C(n), C(n), code, pointer(a), C(n), rcode, pointer(s), code, pointer(u), C(n), code, pointer(vt), C(n), code)
        def check():
            assert int(info[0]) == 0
            if not jobz:
                return None
            am, um, vm, scale = a0.mT, u.mT, vt.mT, n * torch.finfo(rdt).eps
            r = float((um * s @ vm - am).abs().sum(0).max() / am.abs().sum(0).max() / scale)
            for q in (um.mH @ um, vm @ vm.mH):
                q.diagonal().sub_(1)
                r = max(r, float(q.abs().sum(0).max() / scale))
            return r
        return self.run({}, lambda d, h: self.lib.cusolverDnXgesvd_bufferSize(*head, d, h),
                        lambda bd, d, bh, h: self.lib.cusolverDnXgesvd(*head, bd, d, bh, h, pointer(info)),
                        lambda: a.copy_(a0), check)

    def task(self, text):
        name, number, sizes, how = text.split(":")
        if "e" in how:
            self.ok(self.lib.cusolverDnSetMathMode(self.handle, 4))
            if "E" in how:
                self.ok(self.lib.cusolverDnSetEmulationStrategy(self.handle, 2))
        for size in sizes.split(","):
            for jobz in [j for j, c in ((0, "n"), (1, "v")) if c in how]:
                for alg in [0, 1, 2] if "a" in how else [None]:
                    row = {"by": self.by, "stage": name, "precision": number, "n": size, "vectors": bool(jobz), "algorithm": alg, "emulated": "e" in how}
                    try:
                        at = tuple(map(int, size.split("x"))) if name == "batched" else int(size)
                        row.update(getattr(self, name)(number, at, jobz, alg))
                    except Exception as e:
                        row["error"] = repr(e)[:200]
                    torch.cuda.empty_cache()
                    row["at"] = round(time.time() - self.began, 1)
                    print("%-17s %-7s %-5s %-9s %s alg=%s%s %9.2f ms host %8.2f work %7.3f GB ratio %s %s" % (
                        self.by, name, number, size, "NV"[jobz], alg, " emu" if "e" in how else "", row.get("seconds_best", -1) * 1e3, row.get("seconds_from_host", 0) * 1e3,
                        row.get("workspace_bytes", 0) / 1e9, row.get("ratio"), row.get("error", "")), flush=True)
                    with open(self.o.json, "a") as f:
                        f.write(json.dumps(row) + "\n")
        if "e" in how:
            self.ok(self.lib.cusolverDnSetMathMode(self.handle, 1))


def main():
    a = argparse.ArgumentParser()
    a.add_argument("--library")
    a.add_argument("--seconds", type=float, default=1.0)
    a.add_argument("--json", default="cusolver.jsonl")
    a.add_argument("tasks", nargs="+")
    o = a.parse_args()
    torch.backends.cuda.matmul.allow_tf32 = False
    b = Bench(o)
    for t in o.tasks:
        b.task(t)


main()
