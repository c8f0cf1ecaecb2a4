/* The interface between Kernsweep and a pack of kernels. C, so that any compiler and language can make one.
 *
 * A pack is a shared object that exports one symbol, `kernsweep_pack`. It is loaded only by a slot (a
 * process that measures) and by `kernsweep-slot --describe`, never by the coordinator or the worker, so
 * that a pack that crashes fails only its own job. It is never unloaded.
 *
 *   pack  -> families (what is computed)  -> variants (ways to compute it; one of them is the reference)
 *
 * The life of a measurement, all on one thread of the slot, whose affinity is already set (a variant may
 * start threads of its own, at most context->threads in all; they inherit the affinity):
 *
 *   family.inputs      which operands this point needs. The host makes them and maps them read-only.
 *   variant.can_run    cheap; rejects a point with a reason, before anything is allocated.
 *   variant.prepare    builds a state: allocates the output through context->allocate, packs weights,
 *                      creates primitives. Not timed.
 *   variant.run        one call of the computation. Timed. Called repeatedly on the same operands;
 *                      every call must do the whole work and produce the same output.
 *   variant.output     a view of what the last run wrote, in the buffer that is timed. Not timed; may
 *                      convert.
 *   variant.elapsed    only for devices with a clock of their own: seconds of the last run.
 *   variant.run_many   only with `elapsed`: several calls that the device takes from a queue.
 *   variant.metrics    what the variant has counted, after a run; `declared_metrics` also has units, and
 *                      whether a larger or a smaller number is better.
 *   variant.waited     only for work in another process: how long that process had no core.
 *   variant.evict      only for devices with caches of their own: makes them cold.
 *   variant.overwrite  only for outputs in memory of other code: whether calls compute it, with `left`
 *                      and `restore`.
 *   variant.release    frees the state.
 *
 * Rules for a pack: never exit, never throw across this interface, never write to inputs (except those of
 * `in_place`), never print.
 * Every returned text is NUL-terminated, UTF-8, owned by the pack, and lives as long as the process (for
 * `describe` data) or is copied into the `why` buffer. Structures are zero-filled by their writer before
 * filling: zero means default.
 *
 * Version: a host accepts a pack with its own KS_API_MAJOR and a minor not newer than its own KS_API_MINOR.
 * Minor 1 adds `explain` and `report_work` to ks_context. Minor 2 adds ks_metric, `device`, `metrics` and
 * `evict` to ks_variant, KS_F8E4M3 and KS_F8E5M2, and KS_DEVICE_LOST. Minor 3 adds `run_many`, `runs_max`
 * and `elapsed_resolution` to ks_variant. Minor 4 adds `report_source` to ks_context, ks_better,
 * ks_declared_metric and `declared_metrics` to ks_variant. Minor 5 adds `settings` to ks_family and
 * `problem_params` to ks_variant. Minor 6 adds `scale_dims` to ks_tolerance, ks_left_kind, ks_left, and
 * `overwrite`, `left` and `restore` to ks_variant. Minor 7 adds `constants` to ks_family, minor 8
 * `in_place` and `least`, and KS_OUTLIERS. Minor 9 adds ks_part, and `parts` to ks_variant, minor 10
 * `keys`, minor 11 `waited`.
 */
#ifndef KERNSWEEP_KERNELS_API_PACK_H
#define KERNSWEEP_KERNELS_API_PACK_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define KS_API_MAJOR 1
#define KS_API_MINOR 11
#define KS_UNIT_MAX 16
#define KS_RANK_MAX 8
#define KS_NAME_MAX 32
#define KS_INPUTS_MAX 8

typedef enum ks_status {
  KS_OK = 0,
  KS_UNSUPPORTED = 1,   /* a correct point that this variant, library or processor cannot do */
  KS_BAD_PARAMETER = 2, /* a point that no variant could do: negative size, unknown layout */
  KS_FAILED = 3,        /* another failure: a missing library, an error of a call */
  KS_OUT_OF_MEMORY = 4,
  /* Since 1.2. A failure after which this process can compute nothing more on its device: an illegal
   * address, a lost device. The host reports the job's outcome and ends the process. */
  KS_DEVICE_LOST = 5
} ks_status;

typedef enum ks_dtype {
  KS_F64 = 1,
  KS_F32 = 2,
  KS_BF16 = 3,
  KS_F16 = 4,
  KS_S8 = 5,
  KS_U8 = 6,
  KS_S32 = 7,
  KS_S64 = 8,
  /* Since 1.2; the formats of the OCP 8-bit Floating Point Specification, 1.0 (2023). */
  KS_F8E4M3 = 9, /* no infinity, NaN is S.1111.111, largest 448 */
  KS_F8E5M2 = 10 /* like IEEE's, with infinities, largest 57344 */
} ks_dtype;

typedef enum ks_kind { KS_NULL = 0, KS_BOOLEAN = 1, KS_INTEGER = 2, KS_FLOAT = 3, KS_TEXT = 4 } ks_kind;

/* One parameter of a point: its name and its value. */
typedef struct ks_param {
  const char* name;
  ks_kind kind;
  int64_t integer;  /* KS_INTEGER; 0 or 1 for KS_BOOLEAN */
  double real;      /* KS_FLOAT; also set for KS_INTEGER */
  const char* text; /* KS_TEXT, otherwise "" */
} ks_param;

/* All parameters of the point that the family or the variant declares, defaults filled in, sorted by name.
 * A parameter that is not set and has no default is absent. */
typedef struct ks_params {
  size_t count;
  const ks_param* items;
} ks_params;

/* A reason for the user: at most `size` bytes with the NUL are written to `text`. Never NULL. */
typedef struct ks_why {
  char* text;
  size_t size;
} ks_why;

/* A dense or strided array. Strides are in elements; the first dimension is the slowest in a dense one.
 * `data` may be NULL when an extent is 0. */
typedef struct ks_tensor {
  const void* data;
  ks_dtype dtype;
  int32_t rank;
  int64_t shape[KS_RANK_MAX];
  int64_t strides[KS_RANK_MAX];
} ks_tensor;

typedef enum ks_distribution {
  KS_UNIFORM = 1,  /* floats in [a, b) */
  KS_NORMAL = 2,   /* mean a, standard deviation b */
  KS_KAIMING = 3,  /* normal, mean 0, deviation sqrt(2 / fan_in) (He et al. 2015) */
  KS_XAVIER = 4,   /* uniform in +-sqrt(6 / (fan_in + fan_out)) (Glorot and Bengio 2010) */
  KS_INTEGERS = 5, /* whole numbers from a to b, both included */
  /* Since 1.8. Mean 0, deviation 1, as activations of networks whose outliers are in few channels: every
   * b-th element of the last dimension (b - 1, 2 b - 1, ...) is a times as large. */
  KS_OUTLIERS = 6
} ks_distribution;

/* An operand that a point needs: a dense row-major array of `shape`. The user may replace the distribution
 * or give a file by the axis or parameter `input.<name>`. */
typedef struct ks_input {
  char name[KS_NAME_MAX];
  ks_dtype dtype;
  int32_t rank;
  int64_t shape[KS_RANK_MAX];
  ks_distribution distribution;
  double a, b;
  int64_t fan_in, fan_out; /* KAIMING, XAVIER */
  double density;          /* share of elements that are not zero; 0 means 1 (all) */
} ks_input;

/* The arithmetic and the compulsory traffic of one run; what GFLOP/s and GB/s are computed from. */
typedef struct ks_work {
  double flops; /* a multiply-add counts 2 */
  double bytes; /* each operand read once, each result written once */
} ks_work;

/* The allowed difference between an output and the reference: |x - r| <= absolute + relative * scale for
 * every element, where scale is the largest |r| of the output. 0 and 0 require equality. Zero-filled by
 * the host. */
typedef struct ks_tolerance {
  double relative;
  double absolute;
  /* Since 1.6; a host reads this only of a pack whose api_minor is 6 or more. Above 0: the scale is the
   * largest |r| of the slice that has the element; each index of the other dimensions has a slice along the
   * last `scale_dims` dimensions: 1 is a scale for each row. The largest of a slice of few elements may be
   * small by cancellation: then use more dimensions. 0, or all dimensions: the whole output. If the
   * reference has another shape, the smaller of the two slices counts. */
  int32_t scale_dims;
} ks_tolerance;

typedef struct ks_context {
  size_t size;     /* sizeof(ks_context) of the host */
  int32_t threads; /* threads that may compute, the calling one included; >= 1 */
  uint64_t seed;   /* for a variant's own randomness */
  /* Memory for outputs and workspaces: zero-filled, 4096-byte aligned, followed by a guard page, freed by
   * the host after release. Between calls of run the host may overwrite what `output` shows, and
   * since 1.6 in other private memory, too. NULL if there is none: return KS_OUT_OF_MEMORY. */
  void* (*allocate)(void* host, size_t bytes);
  void* host;
  /* Since 1.1; both may be called, with `host`, from run and output, whose signatures have no parameter
   * `why`. In `run` their time is measured, too, so call them only if there is something to report.
   * NULL if the host does not use them. Since 1.11 `explain` also from release: a note of the job. */
  /* Why this call is about to return something other than KS_OK. Copied; a later call replaces it. */
  void (*explain)(void* host, const char* reason);
  /* The work of one run, if it is known only after the run; the last call replaces family.work. Copied. */
  void (*report_work)(void* host, const ks_work* work);
  /* Since 1.4; from prepare, run and output, with `host`. NULL if the host does not use it. */
  /* A file whose content affects what this job computes: results with other content are kept apart.
   * Roles: "program" and "word" (of a command line), "module" and "package" (loaded into this
   * process, never unloaded), "input". `name` is how the sweep or the code calls the file; `path` is
   * relative to the working directory, "" if there is no such file. The host reads the file at once, and
   * again when the job has been measured. Copied. A file may be reported twice; unknown roles are ignored.
   * Each job must report all of its files. The role "imported", with no path, is not a file: the changes
   * that the job has made to its process so far (its folder, its cores) stay for later jobs; a name becomes
   * a note. The role "reads", with no path: names of the parameters that a reference gets, as "m|n". The
   * role "unknown", with no path: the job runs something whose file is not known; its result is not reused
   * by later sweeps, unless the sweep lists files under `depends`. */
  void (*report_source)(void* host, const char* role, const char* name, const char* path);
} ks_context;

/* Documents one parameter; `kernsweep kernels` prints it, and sweep files are checked with it. */
typedef struct ks_param_doc {
  const char* name;
  ks_kind kind;
  const char*
      fallback; /* the default, written as in a sweep file; NULL: required; "": optional without default */
  const char* choices; /* "nchw|nhwc"; NULL: any value of the kind */
  const char* summary; /* one line, with the unit */
} ks_param_doc;

/* Something that a variant counted besides its time. The name ends in the unit: "device_peak_bytes". */
typedef struct ks_metric {
  char name[KS_NAME_MAX];
  double value;
} ks_metric;

/* Since 1.4. Which of two numbers is better. */
typedef enum ks_better {
  KS_BETTER_BY_NAME = 0, /* by the end of the name: larger for _per_second, _per_s, gflops, tflops and gbps;
                            smaller for s, ms, us, ns, seconds, bytes, j and joules; else not known */
  KS_LARGER_IS_BETTER = 1,
  KS_SMALLER_IS_BETTER = 2
} ks_better;

/* Since 1.4. A metric with a unit and a direction. Zero-filled by the host. */
typedef struct ks_declared_metric {
  char name[KS_NAME_MAX]; /* of a to z, 0 to 9 and _ */
  double value;
  ks_better better;
  char unit[KS_UNIT_MAX]; /* "elements/s"; "": the name ends in it */
} ks_declared_metric;

/* Since 1.6. What a run did not write of an output that was overwritten before it. */
typedef enum ks_left_kind {
  KS_LEFT_NOTHING = 0,  /* it wrote every element, or its output is in other memory */
  KS_LEFT_ALL = 1,      /* it returned the same object, and wrote no element of it */
  KS_LEFT_VIEW = 2,     /* it returned another object whose memory was not written: a view */
  KS_LEFT_PART = 3,     /* it did not write some elements; all others have their former values */
  KS_LEFT_IN_PLACE = 4, /* the result depends on the former content: computed in place */
  KS_LEFT_UNKNOWN = 5   /* it returned the same object, which cannot be overwritten */
} ks_left_kind;

typedef struct ks_left {
  ks_left_kind kind;
  uint64_t elements; /* elements of the output that had been overwritten; 0: its memory is another one */
  uint64_t left;     /* number of these that were not written */
} ks_left;

/* Since 1.9. Consecutive elements of an output that have a type of their own. */
typedef struct ks_part {
  int64_t elements;
  ks_dtype dtype;      /* how exact they are; KS_S64 for all whole numbers */
  int32_t is_unsigned; /* 1: whole numbers modulo 2^64 */
  int32_t scale;       /* neighbours with the same number share the scale of a tolerance */
} ks_part;

typedef struct ks_variant {
  const char* name;
  const char* summary;
  const ks_param_doc* params; /* beyond the family's */
  size_t param_count;
  ks_status (*can_run)(const ks_params* params, ks_why why);
  ks_status (*prepare)(const ks_params* params, const ks_context* context, const ks_tensor* inputs,
                       size_t input_count, void** state, ks_why why);
  ks_status (*run)(void* state);
  ks_status (*output)(void* state, ks_tensor* out); /* valid until the next run or release */
  double (*elapsed)(void* state);                   /* NULL: the host's clock */
  void (*release)(void* state);
  /* The library that the variant really uses, and its settings ("OpenBLAS 0.3.21 core=SkylakeX threads=1");
   * called after prepare. NULL: nothing to report. Returns text valid until release. */
  const char* (*runtime)(void* state);
  /* Whether the variant can run on this host at all (library present, instructions available), for any
   * point: for `kernsweep kernels`. NULL: always. */
  ks_status (*available)(ks_why why);
  /* Since 1.2; a host reads these only of a pack whose api_minor is 2 or more. */
  /* "gpu": computes on the GPU of its process. NULL: on the processor. */
  const char* device;
  /* Writes at most `capacity` metrics, and how many to `count`. Called after a run, before release, not
   * timed. NULL: nothing to report. */
  ks_status (*metrics)(void* state, ks_metric* metrics, size_t capacity, size_t* count);
  /* Makes the caches of the device cold, and returns when they are cold. Called before a sample, not timed;
   * for cold measurements only. NULL: the host empties those of its processor. */
  ks_status (*evict)(void* state);
  /* Since 1.3; a host reads these only of a pack whose api_minor is 3 or more. */
  /* The work of `runs` calls of `run` (1 to runs_max), all passed to the device before it begins, so that
   * it never waits for the host in between; `elapsed` is then the time of all of them. Used for samples
   * after a first call of `run`, but not for latencies. NULL: each sample is one call of `run`, including
   * the cost of starting it. Needs `elapsed`. */
  ks_status (*run_many)(void* state, uint64_t runs);
  uint64_t runs_max;
  double elapsed_resolution; /* of the device's clock, in seconds; 0: not known */
  /* Since 1.4; a host reads this only of a pack whose api_minor is 4 or more, and then instead of
   * `metrics`. */
  ks_status (*declared_metrics)(void* state, ks_declared_metric* metrics, size_t capacity, size_t* count);
  /* Since 1.5; a host reads this only of a pack whose api_minor is 5 or more. Which of `params` are part of
   * the problem, "a|b" (see ks_family::settings). NULL: none, all of them are settings. */
  const char* problem_params;
  /* Since 1.6; a host reads these only of a pack whose api_minor is 6 or more. For a variant whose output
   * is an object of other code, such as the return value of a script's function. Not timed; all three or
   * none. Keeps the object of the last run with its memory, saves its content, and overwrites the writable
   * part with other values. May be called again after the next run; what was overwritten stays so. */
  ks_status (*overwrite)(void* state);
  /* What the last run did not write of all that was overwritten. `left` is zero-filled by the host. */
  ks_status (*left)(void* state, ks_left* left);
  /* Writes back what was saved, the latest first, and releases the objects. `output` is not called
   * between it and the next run. */
  void (*restore)(void* state);
  /* Since 1.9; a host reads this only of a pack whose api_minor is 9 or more. The parts of what `output`
   * showed last, in order, valid as long as that; for an output of several types, such as a tuple of
   * arrays. None: all elements are of the output's own type. Otherwise the output is dense and
   * KS_S64: whole numbers unchanged, floats as the bits of an f64. NULL: never any. */
  ks_status (*parts)(void* state, const ks_part** parts, size_t* count);
  /* Since 1.10; a host reads this only of a pack whose api_minor is 10 or more. The names of the parts of
   * what `output` showed last, such as the keys of a dict: UTF-8, sorted, each ended by a line feed. Not
   * timed; valid as long as the output. NULL or empty: no names. */
  const char* (*keys)(void* state);
  /* Since 1.11; a host reads this only of a pack whose api_minor is 11 or more. For a variant whose `run`
   * starts a process that does the work, and waits for its end. Returns how many seconds of the last
   * run this process was ready to compute and had no core. Below 0: not known, for instance if several
   * threads or processes did the work. Called after a run, not timed. NULL: threads of the host's process
   * do the work. */
  double (*waited)(void* state);
  /* Since 1.11; a host reads this only of a pack whose api_minor is 11 or more. The times, in seconds, that
   * the last run has measured itself, if it has measured several: each is a sample, instead of `elapsed`.
   * None: `elapsed` is the only sample. Not timed; valid until the next run. NULL: never several. */
  ks_status (*samples)(void* state, const double** seconds, size_t* count);
} ks_variant;

typedef struct ks_family {
  const char* name;
  const char* summary;
  const ks_param_doc* params;
  size_t param_count;
  int32_t any_params;    /* 1: any other parameter is accepted and passed to the variants */
  const char* reference; /* the variant that is right by construction; its output is KS_F64, or KS_S32 /
                            KS_S64 for integer results. NULL: nothing to verify */
  ks_status (*inputs)(const ks_params* params, ks_input* inputs, size_t capacity, size_t* count,
                      ks_why why);
  ks_status (*work)(const ks_params* params, ks_work* work, ks_why why);
  ks_status (*tolerance)(const ks_params* params, ks_tolerance* tolerance); /* NULL without reference */
  const ks_variant* const* variants;
  size_t variant_count;
  /* Since 1.5; a host reads this only of a pack whose api_minor is 5 or more. Which of `params` are
   * settings, "graph|sync": the user may choose them freely for the same answer, such as block sizes, an
   * algorithm, a layout that the caller may choose. The others are the problem: they change the task, such
   * as sizes, types, layouts of given data. Only points of equal problems are compared with each other.
   * NULL: none, all of them are the problem. */
  const char* settings;
  /* Since 1.7; a host reads this only of a pack whose api_minor is 7 or more. Operands, "b|bias", whose
   * content is known long before a call, such as the weights of a network: `prepare` may read and repack
   * them. All others change between the calls of a distrusted job (docs/distrust.md), so a variant must
   * read them in `run`. NULL: none is known in advance. */
  const char* constants;
  /* Since 1.8; a host reads this only of a pack whose api_minor is 8 or more. Operands, "x|y", that `run`
   * may write, as sorting or a factorisation in place does: their memory is the job's own and not const,
   * and its content is restored before each call, which is not timed. `output` may show it. Each sample is
   * then one call. A call may write anything there; it must not rely on what the previous call wrote.
   * NULL: none; operands are only read. Not for variants on a GPU. */
  const char* in_place;
  /* Since 1.8, too. Which numbers of `work` are lower limits for every correct kernel, "flops|bytes". A
   * distrusted result that is faster than its host's roofs allow for these numbers is rejected
   * (docs/distrust.md#above-the-roof). bytes: each call must read each operand completely, so not with
   * `constants`, nor if a stride skips elements. flops: not if another algorithm needs fewer (Strassen,
   * Winograd), nor for products of matrices, because the roofs do not measure units for these. NULL:
   * neither is known. */
  const char* least;
} ks_family;

typedef struct ks_pack {
  uint32_t api_major, api_minor; /* KS_API_MAJOR, KS_API_MINOR of the pack's build */
  const char* name;
  const char* version;
  const char* build; /* compiler and flags */
  const ks_family* const* families;
  size_t family_count;
} ks_pack;

/* The one exported symbol. Returns NULL if the pack does not support this host's version. */
#if defined(__GNUC__)
#define KS_EXPORT __attribute__((visibility("default")))
#else
#define KS_EXPORT
#endif
KS_EXPORT const ks_pack* kernsweep_pack(uint32_t host_major, uint32_t host_minor);

#ifdef __cplusplus
}
#endif
#endif
