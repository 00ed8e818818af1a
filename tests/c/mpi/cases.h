/* What the programs with MPI share: what each process has found, and the cases.
 *
 *   mpiexec -n N PROGRAM DIRECTORY [CASE]     all cases, or those from CASE on
 *   mpiexec -n 1 PROGRAM --list               their names, in their order
 *
 * Output contract with xtask/src/steps/mpi.rs:
 *   stdout   of the first process: for each case "begin CASE", a line "RANK RESULTS" for each process, which are compared
 *            between native and connector, and "end CASE";
 *   stderr   "@connector NAME" of each file, other notes, diagnosis.
 *
 * What a process does alone while the others wait for it must not need them: a hang is a failure of the case that was
 * begun last.
 */
#include <hdf5.h>
#include <mpi.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LINE = 16384, MOST_RANKS = 64 };

static int  rank, ranks;
static char results[LINE];

/* Adds to what this process has found. */
static void
say(const char *format, ...)
{
    size_t  used = strlen(results);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(results + used, sizeof results - used, format, arguments);
    va_end(arguments);
}

static hid_t
need(hid_t id, const char *what, int line)
{
    if (id < 0) {
        fprintf(stderr, "rank %d, line %d: %s failed\n", rank, line, what);
        H5Eprint2(H5E_DEFAULT, stderr);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    return id;
}
#define NEED(call) need((hid_t)(call), #call, __LINE__)

static void
note_connector(hid_t file)
{
    char name[64] = "";
    H5VLget_connector_name(file, name, sizeof name);
    fprintf(stderr, "@connector %s\n", name);
}

static hid_t
access_list(bool together)
{
    hid_t list = NEED(H5Pcreate(H5P_FILE_ACCESS));
    if (together)
        NEED(H5Pset_fapl_mpio(list, MPI_COMM_WORLD, MPI_INFO_NULL));
    /* Objects may stay open longer than their file, which mpio does not like by default. */
    NEED(H5Pset_fclose_degree(list, H5F_CLOSE_WEAK));
    return list;
}

static hid_t
transfer_list(bool collective)
{
    hid_t list = NEED(H5Pcreate(H5P_DATASET_XFER));
    NEED(H5Pset_dxpl_mpio(list, collective ? H5FD_MPIO_COLLECTIVE : H5FD_MPIO_INDEPENDENT));
    return list;
}

/* Runs a case, if it is to be run, and prints what all processes have found. */
static const char *from;
static bool        only_list;

static bool
begin(const char *name)
{
    if (only_list) {
        printf("%s\n", name);
        return false;
    }
    if (from && strcmp(from, name) != 0)
        return false;
    from = NULL;
    results[0] = 0;
    if (rank == 0) {
        printf("begin %s\n", name);
        fflush(stdout);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    return true;
}

static void
end(const char *name)
{
    static char all[MOST_RANKS][LINE];
    MPI_Gather(results, LINE, MPI_CHAR, all, LINE, MPI_CHAR, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        for (int each = 0; each < ranks; each++)
            printf("%d%s\n", each, all[each]);
        printf("end %s\n", name);
        fflush(stdout);
    }
}

/* Begins, in the directory that is named. */
static void
begin_program(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    only_list = argc > 1 && strcmp(argv[1], "--list") == 0;
    if (argc < 2 || (!only_list && chdir(argv[1]) != 0) || ranks > MOST_RANKS)
        MPI_Abort(MPI_COMM_WORLD, 2);
    from = argc > 2 ? argv[2] : NULL;
}

static int
end_program(void)
{
    H5close();
    MPI_Finalize();
    return 0;
}
