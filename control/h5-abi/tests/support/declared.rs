//! What the crate declares, with the layouts and values that the Rust compiler gives it.
//!
//! `every_declaration_is_compared` fails when something is missing from these lists.

use h5_abi::*;

/// A struct or union.
pub struct Layout {
    pub name: &'static str,
    /// The C expression for it where it has no name of its own: a type, then the fields on the way.
    pub anonymous_in: Option<(&'static str, &'static [&'static str])>,
    pub size: usize,
    pub align: usize,
    pub fields: Vec<Field>,
}

pub struct Field {
    pub name: &'static str,
    pub offset: usize,
    pub size: usize,
}

/// The size of what `_field` would point to; it is never called.
fn size_of_field<S, F>(_field: impl FnOnce(*const S) -> *const F) -> usize {
    size_of::<F>()
}

macro_rules! layouts {
    ($($name:ident $(in $parent:ident $(. $step:ident)+)? { $($field:ident),+ })+) => {
        vec![$(Layout {
            name: stringify!($name),
            anonymous_in: layouts!(@origin $($parent $($step)+)?),
            size: size_of::<$name>(),
            align: align_of::<$name>(),
            fields: vec![$(Field {
                name: stringify!($field),
                offset: std::mem::offset_of!($name, $field),
                size: size_of_field(|s: *const $name| {
                    // SAFETY: never called, only its type is of interest.
                    unsafe { &raw const (*s).$field }
                }),
            }),+],
        }),+]
    };
    (@origin) => { None };
    (@origin $parent:ident $($step:ident)+) => { Some((stringify!($parent), &[$(stringify!($step)),+])) };
}

macro_rules! enums {
    ($($name:ident { $($constant:ident),+ })+) => {
        vec![$((stringify!($name), vec![$({
            let constant: $name = $constant;
            (stringify!($constant), constant.0.to_string())
        }),+])),+]
    };
}

macro_rules! constants {
    ($($constant:ident),+) => { vec![$((stringify!($constant), $constant.to_string())),+] };
}

/// Every struct and union.
pub fn layouts() -> Vec<Layout> {
    layouts! {
        H5_ih_info_t { index_size, heap_size }
        H5O_token_t { __data }
        H5O_hdr_info_space_t in H5O_hdr_info_t.space { total, meta, mesg, free }
        H5O_hdr_info_mesg_t in H5O_hdr_info_t.mesg { present, shared }
        H5O_hdr_info_t { version, nmesgs, nchunks, flags, space, mesg }
        H5O_info2_t { fileno, token, type_, rc, atime, mtime, ctime, btime, num_attrs }
        H5O_native_info_meta_size_t in H5O_native_info_t.meta_size { obj, attr }
        H5O_native_info_t { hdr, meta_size }
        H5O_stat_t { size, free, nmesgs, nchunks }
        H5A_info_t { corder_valid, corder, cset, data_size }
        H5L_info2_u in H5L_info2_t.u { token, val_size }
        H5L_info2_t { type_, corder_valid, corder, cset, u }
        H5G_info_t { storage_type, nlinks, max_corder, mounted }
        H5G_stat_t { fileno, objno, nlink, type_, mtime, linklen, ohdr }
        H5F_info2_super_t in H5F_info2_t.super { version, super_size, super_ext_size }
        H5F_info2_free_t in H5F_info2_t.free { version, meta_size, tot_space }
        H5F_info2_sohm_t in H5F_info2_t.sohm { version, hdr_size, msgs_info }
        H5F_info2_t { super_, free, sohm }
        H5F_sect_info_t { addr, size }
        H5F_retry_info_t { nbins, retries }
        H5R_ref_u in H5R_ref_t.u { __data, align }
        H5R_ref_t { u }
        hvl_t { len, p }
        H5T_cdata_t { command, need_bkg, recalc, priv_ }
        H5Z_class2_t { version, id, encoder_present, decoder_present, name, can_apply, set_local, filter }
        H5E_error2_t { cls_id, maj_num, min_num, line, func_name, file_name, desc }
        H5VL_native_attr_iterate_old_t { loc_id, attr_num, op, op_data }
        H5VL_native_attr_optional_args_t { iterate_old }
        H5VL_native_dataset_chunk_read_t { offset, filters, buf, buf_size }
        H5VL_native_dataset_chunk_write_t { offset, filters, size, buf }
        H5VL_native_dataset_get_vlen_buf_size_t { type_id, space_id, size }
        H5VL_native_dataset_get_chunk_storage_size_t { offset, size }
        H5VL_native_dataset_get_num_chunks_t { space_id, nchunks }
        H5VL_native_dataset_get_chunk_info_by_idx_t { space_id, chk_index, offset, filter_mask, addr, size }
        H5VL_native_dataset_get_chunk_info_by_coord_t { offset, filter_mask, addr, size }
        H5VL_native_dataset_get_chunk_idx_type_t in H5VL_native_dataset_optional_args_t.get_chunk_idx_type {
            idx_type
        }
        H5VL_native_dataset_get_offset_t in H5VL_native_dataset_optional_args_t.get_offset { offset }
        H5VL_native_dataset_chunk_iter_t in H5VL_native_dataset_optional_args_t.chunk_iter { op, op_data }
        H5VL_native_dataset_chunk_read_v1_t { offset, filters, buf }
        H5VL_native_dataset_chunk_write_v1_t { offset, filters, size, buf }
        H5VL_native_dataset_optional_args_t {
            get_chunk_idx_type, get_chunk_storage_size, get_num_chunks, get_chunk_info_by_idx,
            get_chunk_info_by_coord, chunk_read, chunk_write, get_vlen_buf_size, get_offset, chunk_iter,
            chunk_read_v1, chunk_write_v1
        }
        H5VL_native_file_get_file_image_t { buf_size, buf, image_len }
        H5VL_native_file_get_free_sections_t { type_, sect_info, nsects, sect_count }
        H5VL_native_file_get_freespace_t { size }
        H5VL_native_file_get_info_t { type_, finfo }
        H5VL_native_file_get_mdc_size_t { max_size, min_clean_size, cur_size, cur_num_entries }
        H5VL_native_file_get_vfd_handle_t { fapl_id, file_handle }
        H5VL_native_file_get_mdc_logging_status_t { is_enabled, is_currently_logging }
        H5VL_native_file_get_page_buffering_stats_t { accesses, hits, misses, evictions, bypasses }
        H5VL_native_file_get_mdc_image_info_t { addr, len }
        H5VL_native_file_set_libver_bounds_t { low, high }
        H5VL_native_file_get_mdc_config_t in H5VL_native_file_optional_args_t.get_mdc_config { config }
        H5VL_native_file_get_mdc_hit_rate_t in H5VL_native_file_optional_args_t.get_mdc_hit_rate { hit_rate }
        H5VL_native_file_get_size_t in H5VL_native_file_optional_args_t.get_size { size }
        H5VL_native_file_set_mdc_config_t in H5VL_native_file_optional_args_t.set_mdc_config { config }
        H5VL_native_file_get_metadata_read_retry_info_t in H5VL_native_file_optional_args_t.get_metadata_read_retry_info {
            info
        }
        H5VL_native_file_get_eoa_t in H5VL_native_file_optional_args_t.get_eoa { eoa }
        H5VL_native_file_increment_filesize_t in H5VL_native_file_optional_args_t.increment_filesize { increment }
        H5VL_native_file_get_min_dset_ohdr_flag_t in H5VL_native_file_optional_args_t.get_min_dset_ohdr_flag {
            minimize
        }
        H5VL_native_file_set_min_dset_ohdr_flag_t in H5VL_native_file_optional_args_t.set_min_dset_ohdr_flag {
            minimize
        }
        H5VL_native_file_get_mpi_atomicity_t in H5VL_native_file_optional_args_t.get_mpi_atomicity { flag }
        H5VL_native_file_set_mpi_atomicity_t in H5VL_native_file_optional_args_t.set_mpi_atomicity { flag }
        H5VL_native_file_optional_args_t {
            get_file_image, get_free_sections, get_freespace, get_info, get_mdc_config, get_mdc_hit_rate,
            get_mdc_size, get_size, get_vfd_handle, set_mdc_config, get_metadata_read_retry_info,
            get_mdc_logging_status, get_page_buffering_stats, get_mdc_image_info, get_eoa, increment_filesize,
            set_libver_bounds, get_min_dset_ohdr_flag, set_min_dset_ohdr_flag, get_mpi_atomicity,
            set_mpi_atomicity
        }
        H5VL_native_group_iterate_old_t { loc_params, idx, last_obj, op, op_data }
        H5VL_native_group_get_objinfo_t { loc_params, follow_link, statbuf }
        H5VL_native_group_optional_args_t { iterate_old, get_objinfo }
        H5VL_native_object_get_comment_t { buf_size, buf, comment_len }
        H5VL_native_object_get_native_info_t { fields, ninfo }
        H5VL_native_object_set_comment_t in H5VL_native_object_optional_args_t.set_comment { comment }
        H5VL_native_object_are_mdc_flushes_disabled_t in H5VL_native_object_optional_args_t.are_mdc_flushes_disabled {
            flag
        }
        H5VL_native_object_optional_args_t { get_comment, set_comment, are_mdc_flushes_disabled, get_native_info }
        H5VL_loc_by_name_t { name, lapl_id }
        H5VL_loc_by_idx_t { name, idx_type, order, n, lapl_id }
        H5VL_loc_by_token_t { token }
        H5VL_loc_data_u in H5VL_loc_params_t.loc_data { loc_by_token, loc_by_name, loc_by_idx }
        H5VL_loc_params_t { obj_type, type_, loc_data }
        H5VL_optional_args_t { op_type, args }
        H5VL_attr_get_name_args_t { loc_params, buf_size, buf, attr_name_len }
        H5VL_attr_get_info_args_t { loc_params, attr_name, ainfo }
        H5VL_attr_get_acpl_t in H5VL_attr_get_args_t.args.get_acpl { acpl_id }
        H5VL_attr_get_space_t in H5VL_attr_get_args_t.args.get_space { space_id }
        H5VL_attr_get_storage_size_t in H5VL_attr_get_args_t.args.get_storage_size { data_size }
        H5VL_attr_get_type_t in H5VL_attr_get_args_t.args.get_type { type_id }
        H5VL_attr_get_args_u in H5VL_attr_get_args_t.args {
            get_acpl, get_info, get_name, get_space, get_storage_size, get_type
        }
        H5VL_attr_get_args_t { op_type, args }
        H5VL_attr_iterate_args_t { idx_type, order, idx, op, op_data }
        H5VL_attr_delete_by_idx_args_t { idx_type, order, n }
        H5VL_attr_del_t in H5VL_attr_specific_args_t.args.del { name }
        H5VL_attr_exists_t in H5VL_attr_specific_args_t.args.exists { name, exists }
        H5VL_attr_rename_t in H5VL_attr_specific_args_t.args.rename { old_name, new_name }
        H5VL_attr_specific_args_u in H5VL_attr_specific_args_t.args {
            del, delete_by_idx, exists, iterate, rename
        }
        H5VL_attr_specific_args_t { op_type, args }
        H5VL_attr_class_t { create, open, read, write, get, specific, optional, close }
        H5VL_dataset_get_dapl_t in H5VL_dataset_get_args_t.args.get_dapl { dapl_id }
        H5VL_dataset_get_dcpl_t in H5VL_dataset_get_args_t.args.get_dcpl { dcpl_id }
        H5VL_dataset_get_space_t in H5VL_dataset_get_args_t.args.get_space { space_id }
        H5VL_dataset_get_space_status_t in H5VL_dataset_get_args_t.args.get_space_status { status }
        H5VL_dataset_get_storage_size_t in H5VL_dataset_get_args_t.args.get_storage_size { storage_size }
        H5VL_dataset_get_type_t in H5VL_dataset_get_args_t.args.get_type { type_id }
        H5VL_dataset_get_args_u in H5VL_dataset_get_args_t.args {
            get_dapl, get_dcpl, get_space, get_space_status, get_storage_size, get_type
        }
        H5VL_dataset_get_args_t { op_type, args }
        H5VL_dataset_set_extent_t in H5VL_dataset_specific_args_t.args.set_extent { size }
        H5VL_dataset_flush_t in H5VL_dataset_specific_args_t.args.flush { dset_id }
        H5VL_dataset_refresh_t in H5VL_dataset_specific_args_t.args.refresh { dset_id }
        H5VL_dataset_specific_args_u in H5VL_dataset_specific_args_t.args { set_extent, flush, refresh }
        H5VL_dataset_specific_args_t { op_type, args }
        H5VL_dataset_class_t { create, open, read, write, get, specific, optional, close }
        H5VL_datatype_get_binary_size_t in H5VL_datatype_get_args_t.args.get_binary_size { size }
        H5VL_datatype_get_binary_t in H5VL_datatype_get_args_t.args.get_binary { buf, buf_size }
        H5VL_datatype_get_tcpl_t in H5VL_datatype_get_args_t.args.get_tcpl { tcpl_id }
        H5VL_datatype_get_args_u in H5VL_datatype_get_args_t.args { get_binary_size, get_binary, get_tcpl }
        H5VL_datatype_get_args_t { op_type, args }
        H5VL_datatype_flush_t in H5VL_datatype_specific_args_t.args.flush { type_id }
        H5VL_datatype_refresh_t in H5VL_datatype_specific_args_t.args.refresh { type_id }
        H5VL_datatype_specific_args_u in H5VL_datatype_specific_args_t.args { flush, refresh }
        H5VL_datatype_specific_args_t { op_type, args }
        H5VL_datatype_class_t { commit, open, get, specific, optional, close }
        H5VL_file_cont_info_t { version, feature_flags, token_size, blob_id_size }
        H5VL_file_get_name_args_t { type_, buf_size, buf, file_name_len }
        H5VL_file_get_obj_ids_args_t { types, max_objs, oid_list, count }
        H5VL_file_get_cont_info_t in H5VL_file_get_args_t.args.get_cont_info { info }
        H5VL_file_get_fapl_t in H5VL_file_get_args_t.args.get_fapl { fapl_id }
        H5VL_file_get_fcpl_t in H5VL_file_get_args_t.args.get_fcpl { fcpl_id }
        H5VL_file_get_fileno_t in H5VL_file_get_args_t.args.get_fileno { fileno }
        H5VL_file_get_intent_t in H5VL_file_get_args_t.args.get_intent { flags }
        H5VL_file_get_obj_count_t in H5VL_file_get_args_t.args.get_obj_count { types, count }
        H5VL_file_get_args_u in H5VL_file_get_args_t.args {
            get_cont_info, get_fapl, get_fcpl, get_fileno, get_intent, get_name, get_obj_count, get_obj_ids
        }
        H5VL_file_get_args_t { op_type, args }
        H5VL_file_flush_t in H5VL_file_specific_args_t.args.flush { obj_type, scope }
        H5VL_file_reopen_t in H5VL_file_specific_args_t.args.reopen { file }
        H5VL_file_is_accessible_t in H5VL_file_specific_args_t.args.is_accessible {
            filename, fapl_id, accessible
        }
        H5VL_file_del_t in H5VL_file_specific_args_t.args.del { filename, fapl_id }
        H5VL_file_is_equal_t in H5VL_file_specific_args_t.args.is_equal { obj2, same_file }
        H5VL_file_specific_args_u in H5VL_file_specific_args_t.args {
            flush, reopen, is_accessible, del, is_equal
        }
        H5VL_file_specific_args_t { op_type, args }
        H5VL_file_class_t { create, open, get, specific, optional, close }
        H5VL_group_get_info_args_t { loc_params, ginfo }
        H5VL_group_get_gcpl_t in H5VL_group_get_args_t.args.get_gcpl { gcpl_id }
        H5VL_group_get_args_u in H5VL_group_get_args_t.args { get_gcpl, get_info }
        H5VL_group_get_args_t { op_type, args }
        H5VL_group_spec_mount_args_t { name, child_file, fmpl_id }
        H5VL_group_unmount_t in H5VL_group_specific_args_t.args.unmount { name }
        H5VL_group_flush_t in H5VL_group_specific_args_t.args.flush { grp_id }
        H5VL_group_refresh_t in H5VL_group_specific_args_t.args.refresh { grp_id }
        H5VL_group_specific_args_u in H5VL_group_specific_args_t.args { mount, unmount, flush, refresh }
        H5VL_group_specific_args_t { op_type, args }
        H5VL_group_class_t { create, open, get, specific, optional, close }
        H5VL_link_hard_t in H5VL_link_create_args_t.args.hard { curr_obj, curr_loc_params }
        H5VL_link_soft_t in H5VL_link_create_args_t.args.soft { target }
        H5VL_link_ud_t in H5VL_link_create_args_t.args.ud { type_, buf, buf_size }
        H5VL_link_create_args_u in H5VL_link_create_args_t.args { hard, soft, ud }
        H5VL_link_create_args_t { op_type, args }
        H5VL_link_get_info_t in H5VL_link_get_args_t.args.get_info { linfo }
        H5VL_link_get_name_t in H5VL_link_get_args_t.args.get_name { name_size, name, name_len }
        H5VL_link_get_val_t in H5VL_link_get_args_t.args.get_val { buf_size, buf }
        H5VL_link_get_args_u in H5VL_link_get_args_t.args { get_info, get_name, get_val }
        H5VL_link_get_args_t { op_type, args }
        H5VL_link_iterate_args_t { recursive, idx_type, order, idx_p, op, op_data }
        H5VL_link_exists_t in H5VL_link_specific_args_t.args.exists { exists }
        H5VL_link_specific_args_u in H5VL_link_specific_args_t.args { exists, iterate }
        H5VL_link_specific_args_t { op_type, args }
        H5VL_link_class_t { create, copy, move_, get, specific, optional }
        H5VL_object_get_file_t in H5VL_object_get_args_t.args.get_file { file }
        H5VL_object_get_name_t in H5VL_object_get_args_t.args.get_name { buf_size, buf, name_len }
        H5VL_object_get_type_t in H5VL_object_get_args_t.args.get_type { obj_type }
        H5VL_object_get_info_t in H5VL_object_get_args_t.args.get_info { fields, oinfo }
        H5VL_object_get_args_u in H5VL_object_get_args_t.args { get_file, get_name, get_type, get_info }
        H5VL_object_get_args_t { op_type, args }
        H5VL_object_visit_args_t { idx_type, order, fields, op, op_data }
        H5VL_object_change_rc_t in H5VL_object_specific_args_t.args.change_rc { delta }
        H5VL_object_exists_t in H5VL_object_specific_args_t.args.exists { exists }
        H5VL_object_lookup_t in H5VL_object_specific_args_t.args.lookup { token_ptr }
        H5VL_object_flush_t in H5VL_object_specific_args_t.args.flush { obj_id }
        H5VL_object_refresh_t in H5VL_object_specific_args_t.args.refresh { obj_id }
        H5VL_object_specific_args_u in H5VL_object_specific_args_t.args {
            change_rc, exists, lookup, visit, flush, refresh
        }
        H5VL_object_specific_args_t { op_type, args }
        H5VL_object_class_t { open, copy, get, specific, optional }
        H5VL_request_get_err_stack_t in H5VL_request_specific_args_t.args.get_err_stack { err_stack_id }
        H5VL_request_get_exec_time_t in H5VL_request_specific_args_t.args.get_exec_time { exec_ts, exec_time }
        H5VL_request_specific_args_u in H5VL_request_specific_args_t.args { get_err_stack, get_exec_time }
        H5VL_request_specific_args_t { op_type, args }
        H5VL_request_class_t { wait, notify, cancel, specific, optional, free }
        H5VL_blob_is_null_t in H5VL_blob_specific_args_t.args.is_null { isnull }
        H5VL_blob_specific_args_u in H5VL_blob_specific_args_t.args { is_null }
        H5VL_blob_specific_args_t { op_type, args }
        H5VL_blob_class_t { put, get, specific, optional }
        H5VL_info_class_t { size, copy, cmp, free, to_str, from_str }
        H5VL_wrap_class_t { get_object, get_wrap_ctx, wrap_object, unwrap_object, free_wrap_ctx }
        H5VL_introspect_class_t { get_conn_cls, get_cap_flags, opt_query }
        H5VL_token_class_t { cmp, to_str, from_str }
        H5VL_class_t {
            version, value, name, conn_version, cap_flags, initialize, terminate, info_cls, wrap_cls, attr_cls,
            dataset_cls, datatype_cls, file_cls, group_cls, link_cls, object_cls, introspect_cls, request_cls,
            blob_cls, token_cls, optional
        }
    }
}

/// Every enum: its name, and names and values of its constants.
pub fn enums() -> Vec<(&'static str, Vec<(&'static str, String)>)> {
    enums! {
        H5_iter_order_t { H5_ITER_UNKNOWN, H5_ITER_INC, H5_ITER_DEC, H5_ITER_NATIVE, H5_ITER_N }
        H5_index_t { H5_INDEX_UNKNOWN, H5_INDEX_NAME, H5_INDEX_CRT_ORDER, H5_INDEX_N }
        H5I_type_t {
            H5I_UNINIT, H5I_BADID, H5I_FILE, H5I_GROUP, H5I_DATATYPE, H5I_DATASPACE, H5I_DATASET, H5I_MAP,
            H5I_ATTR, H5I_VFL, H5I_VOL, H5I_GENPROP_CLS, H5I_GENPROP_LST, H5I_ERROR_CLASS, H5I_ERROR_MSG,
            H5I_ERROR_STACK, H5I_SPACE_SEL_ITER, H5I_EVENTSET, H5I_NTYPES
        }
        H5O_type_t {
            H5O_TYPE_UNKNOWN, H5O_TYPE_GROUP, H5O_TYPE_DATASET, H5O_TYPE_NAMED_DATATYPE, H5O_TYPE_MAP,
            H5O_TYPE_NTYPES
        }
        H5L_type_t {
            H5L_TYPE_ERROR, H5L_TYPE_HARD, H5L_TYPE_SOFT, H5L_TYPE_EXTERNAL, H5L_TYPE_MAX,
            H5L_TYPE_BUILTIN_MAX, H5L_TYPE_UD_MIN, H5L_TYPE_UD_MAX
        }
        H5G_storage_type_t {
            H5G_STORAGE_TYPE_UNKNOWN, H5G_STORAGE_TYPE_SYMBOL_TABLE, H5G_STORAGE_TYPE_COMPACT,
            H5G_STORAGE_TYPE_DENSE
        }
        H5G_obj_t {
            H5G_UNKNOWN, H5G_GROUP, H5G_DATASET, H5G_TYPE, H5G_LINK, H5G_UDLINK, H5G_RESERVED_5,
            H5G_RESERVED_6, H5G_RESERVED_7
        }
        H5F_fspace_strategy_t {
            H5F_FSPACE_STRATEGY_FSM_AGGR, H5F_FSPACE_STRATEGY_PAGE, H5F_FSPACE_STRATEGY_AGGR,
            H5F_FSPACE_STRATEGY_NONE, H5F_FSPACE_STRATEGY_NTYPES
        }
        H5D_layout_t { H5D_LAYOUT_ERROR, H5D_COMPACT, H5D_CONTIGUOUS, H5D_CHUNKED, H5D_VIRTUAL, H5D_NLAYOUTS }
        H5D_chunk_index_t {
            H5D_CHUNK_IDX_BTREE, H5D_CHUNK_IDX_SINGLE, H5D_CHUNK_IDX_NONE, H5D_CHUNK_IDX_FARRAY,
            H5D_CHUNK_IDX_EARRAY, H5D_CHUNK_IDX_BT2, H5D_CHUNK_IDX_NTYPES
        }
        H5D_alloc_time_t {
            H5D_ALLOC_TIME_ERROR, H5D_ALLOC_TIME_DEFAULT, H5D_ALLOC_TIME_EARLY, H5D_ALLOC_TIME_LATE,
            H5D_ALLOC_TIME_INCR
        }
        H5D_space_status_t {
            H5D_SPACE_STATUS_ERROR, H5D_SPACE_STATUS_NOT_ALLOCATED, H5D_SPACE_STATUS_PART_ALLOCATED,
            H5D_SPACE_STATUS_ALLOCATED
        }
        H5D_fill_time_t { H5D_FILL_TIME_ERROR, H5D_FILL_TIME_ALLOC, H5D_FILL_TIME_NEVER, H5D_FILL_TIME_IFSET }
        H5D_fill_value_t {
            H5D_FILL_VALUE_ERROR, H5D_FILL_VALUE_UNDEFINED, H5D_FILL_VALUE_DEFAULT,
            H5D_FILL_VALUE_USER_DEFINED
        }
        H5D_vds_view_t { H5D_VDS_ERROR, H5D_VDS_FIRST_MISSING, H5D_VDS_LAST_AVAILABLE }
        H5F_scope_t { H5F_SCOPE_LOCAL, H5F_SCOPE_GLOBAL }
        H5F_close_degree_t { H5F_CLOSE_DEFAULT, H5F_CLOSE_WEAK, H5F_CLOSE_SEMI, H5F_CLOSE_STRONG }
        H5F_mem_t {
            H5FD_MEM_NOLIST, H5FD_MEM_DEFAULT, H5FD_MEM_SUPER, H5FD_MEM_BTREE, H5FD_MEM_DRAW, H5FD_MEM_GHEAP,
            H5FD_MEM_LHEAP, H5FD_MEM_OHDR, H5FD_MEM_NTYPES
        }
        H5F_libver_t {
            H5F_LIBVER_ERROR, H5F_LIBVER_EARLIEST, H5F_LIBVER_V18, H5F_LIBVER_V110, H5F_LIBVER_V112,
            H5F_LIBVER_V114, H5F_LIBVER_V200
        }
        H5S_class_t { H5S_NO_CLASS, H5S_SCALAR, H5S_SIMPLE, H5S_NULL }
        H5S_seloper_t {
            H5S_SELECT_NOOP, H5S_SELECT_SET, H5S_SELECT_OR, H5S_SELECT_AND, H5S_SELECT_XOR, H5S_SELECT_NOTB,
            H5S_SELECT_NOTA, H5S_SELECT_APPEND, H5S_SELECT_PREPEND, H5S_SELECT_INVALID
        }
        H5R_type_t { H5R_BADTYPE, H5R_OBJECT1, H5R_DATASET_REGION1, H5R_OBJECT2, H5R_DATASET_REGION2, H5R_ATTR, H5R_MAXTYPE }
        H5S_sel_type { H5S_SEL_ERROR, H5S_SEL_NONE, H5S_SEL_POINTS, H5S_SEL_HYPERSLABS, H5S_SEL_ALL, H5S_SEL_N }
        H5T_class_t {
            H5T_NO_CLASS, H5T_INTEGER, H5T_FLOAT, H5T_TIME, H5T_STRING, H5T_BITFIELD, H5T_OPAQUE, H5T_COMPOUND,
            H5T_REFERENCE, H5T_ENUM, H5T_VLEN, H5T_ARRAY, H5T_COMPLEX
        }
        H5T_order_t {
            H5T_ORDER_ERROR, H5T_ORDER_LE, H5T_ORDER_BE, H5T_ORDER_VAX, H5T_ORDER_MIXED, H5T_ORDER_NONE
        }
        H5T_sign_t { H5T_SGN_ERROR, H5T_SGN_NONE, H5T_SGN_2, H5T_NSGN }
        H5T_norm_t { H5T_NORM_ERROR, H5T_NORM_IMPLIED, H5T_NORM_MSBSET, H5T_NORM_NONE }
        H5T_cset_t {
            H5T_CSET_ERROR, H5T_CSET_ASCII, H5T_CSET_UTF8, H5T_CSET_RESERVED_2, H5T_CSET_RESERVED_3,
            H5T_CSET_RESERVED_4, H5T_CSET_RESERVED_5, H5T_CSET_RESERVED_6, H5T_CSET_RESERVED_7,
            H5T_CSET_RESERVED_8, H5T_CSET_RESERVED_9, H5T_CSET_RESERVED_10, H5T_CSET_RESERVED_11,
            H5T_CSET_RESERVED_12, H5T_CSET_RESERVED_13, H5T_CSET_RESERVED_14, H5T_CSET_RESERVED_15, H5T_NCSET
        }
        H5T_str_t {
            H5T_STR_ERROR, H5T_STR_NULLTERM, H5T_STR_NULLPAD, H5T_STR_SPACEPAD, H5T_STR_RESERVED_3,
            H5T_STR_RESERVED_4, H5T_STR_RESERVED_5, H5T_STR_RESERVED_6, H5T_STR_RESERVED_7, H5T_STR_RESERVED_8,
            H5T_STR_RESERVED_9, H5T_STR_RESERVED_10, H5T_STR_RESERVED_11, H5T_STR_RESERVED_12,
            H5T_STR_RESERVED_13, H5T_STR_RESERVED_14, H5T_STR_RESERVED_15, H5T_NSTR
        }
        H5T_pad_t { H5T_PAD_ERROR, H5T_PAD_ZERO, H5T_PAD_ONE, H5T_PAD_BACKGROUND, H5T_NPAD }
        H5T_direction_t { H5T_DIR_DEFAULT, H5T_DIR_ASCEND, H5T_DIR_DESCEND }
        H5T_conv_except_t {
            H5T_CONV_EXCEPT_RANGE_HI, H5T_CONV_EXCEPT_RANGE_LOW, H5T_CONV_EXCEPT_PRECISION,
            H5T_CONV_EXCEPT_TRUNCATE, H5T_CONV_EXCEPT_PINF, H5T_CONV_EXCEPT_NINF, H5T_CONV_EXCEPT_NAN
        }
        H5T_conv_ret_t { H5T_CONV_ABORT, H5T_CONV_UNHANDLED, H5T_CONV_HANDLED }
        H5T_cmd_t { H5T_CONV_INIT, H5T_CONV_CONV, H5T_CONV_FREE }
        H5T_bkg_t { H5T_BKG_NO, H5T_BKG_TEMP, H5T_BKG_YES }
        H5T_pers_t { H5T_PERS_DONTCARE, H5T_PERS_HARD, H5T_PERS_SOFT }
        H5Z_SO_scale_type_t { H5Z_SO_FLOAT_DSCALE, H5Z_SO_FLOAT_ESCALE, H5Z_SO_INT }
        H5Z_EDC_t { H5Z_ERROR_EDC, H5Z_DISABLE_EDC, H5Z_ENABLE_EDC, H5Z_NO_EDC }
        H5Z_cb_return_t { H5Z_CB_ERROR, H5Z_CB_FAIL, H5Z_CB_CONT, H5Z_CB_NO }
        H5E_type_t { H5E_MAJOR, H5E_MINOR }
        H5E_direction_t { H5E_WALK_UPWARD, H5E_WALK_DOWNWARD }
        H5PL_type_t { H5PL_TYPE_ERROR, H5PL_TYPE_FILTER, H5PL_TYPE_VOL, H5PL_TYPE_VFD, H5PL_TYPE_NONE }
        H5VL_subclass_t {
            H5VL_SUBCLS_NONE, H5VL_SUBCLS_INFO, H5VL_SUBCLS_WRAP, H5VL_SUBCLS_ATTR, H5VL_SUBCLS_DATASET,
            H5VL_SUBCLS_DATATYPE, H5VL_SUBCLS_FILE, H5VL_SUBCLS_GROUP, H5VL_SUBCLS_LINK, H5VL_SUBCLS_OBJECT,
            H5VL_SUBCLS_REQUEST, H5VL_SUBCLS_BLOB, H5VL_SUBCLS_TOKEN
        }
        H5VL_loc_type_t { H5VL_OBJECT_BY_SELF, H5VL_OBJECT_BY_NAME, H5VL_OBJECT_BY_IDX, H5VL_OBJECT_BY_TOKEN }
        H5VL_attr_get_t {
            H5VL_ATTR_GET_ACPL, H5VL_ATTR_GET_INFO, H5VL_ATTR_GET_NAME, H5VL_ATTR_GET_SPACE,
            H5VL_ATTR_GET_STORAGE_SIZE, H5VL_ATTR_GET_TYPE
        }
        H5VL_attr_specific_t {
            H5VL_ATTR_DELETE, H5VL_ATTR_DELETE_BY_IDX, H5VL_ATTR_EXISTS, H5VL_ATTR_ITER, H5VL_ATTR_RENAME
        }
        H5VL_dataset_get_t {
            H5VL_DATASET_GET_DAPL, H5VL_DATASET_GET_DCPL, H5VL_DATASET_GET_SPACE,
            H5VL_DATASET_GET_SPACE_STATUS, H5VL_DATASET_GET_STORAGE_SIZE, H5VL_DATASET_GET_TYPE
        }
        H5VL_dataset_specific_t { H5VL_DATASET_SET_EXTENT, H5VL_DATASET_FLUSH, H5VL_DATASET_REFRESH }
        H5VL_datatype_get_t { H5VL_DATATYPE_GET_BINARY_SIZE, H5VL_DATATYPE_GET_BINARY, H5VL_DATATYPE_GET_TCPL }
        H5VL_datatype_specific_t { H5VL_DATATYPE_FLUSH, H5VL_DATATYPE_REFRESH }
        H5VL_file_get_t {
            H5VL_FILE_GET_CONT_INFO, H5VL_FILE_GET_FAPL, H5VL_FILE_GET_FCPL, H5VL_FILE_GET_FILENO,
            H5VL_FILE_GET_INTENT, H5VL_FILE_GET_NAME, H5VL_FILE_GET_OBJ_COUNT, H5VL_FILE_GET_OBJ_IDS
        }
        H5VL_file_specific_t {
            H5VL_FILE_FLUSH, H5VL_FILE_REOPEN, H5VL_FILE_IS_ACCESSIBLE, H5VL_FILE_DELETE, H5VL_FILE_IS_EQUAL
        }
        H5VL_group_get_t { H5VL_GROUP_GET_GCPL, H5VL_GROUP_GET_INFO }
        H5VL_group_specific_t { H5VL_GROUP_MOUNT, H5VL_GROUP_UNMOUNT, H5VL_GROUP_FLUSH, H5VL_GROUP_REFRESH }
        H5VL_link_create_t { H5VL_LINK_CREATE_HARD, H5VL_LINK_CREATE_SOFT, H5VL_LINK_CREATE_UD }
        H5VL_link_get_t { H5VL_LINK_GET_INFO, H5VL_LINK_GET_NAME, H5VL_LINK_GET_VAL }
        H5VL_link_specific_t { H5VL_LINK_DELETE, H5VL_LINK_EXISTS, H5VL_LINK_ITER }
        H5VL_object_get_t {
            H5VL_OBJECT_GET_FILE, H5VL_OBJECT_GET_NAME, H5VL_OBJECT_GET_TYPE, H5VL_OBJECT_GET_INFO
        }
        H5VL_object_specific_t {
            H5VL_OBJECT_CHANGE_REF_COUNT, H5VL_OBJECT_EXISTS, H5VL_OBJECT_LOOKUP, H5VL_OBJECT_VISIT,
            H5VL_OBJECT_FLUSH, H5VL_OBJECT_REFRESH
        }
        H5VL_request_status_t {
            H5VL_REQUEST_STATUS_IN_PROGRESS, H5VL_REQUEST_STATUS_SUCCEED, H5VL_REQUEST_STATUS_FAIL,
            H5VL_REQUEST_STATUS_CANT_CANCEL, H5VL_REQUEST_STATUS_CANCELED
        }
        H5VL_request_specific_t { H5VL_REQUEST_GET_ERR_STACK, H5VL_REQUEST_GET_EXEC_TIME }
        H5VL_blob_specific_t { H5VL_BLOB_DELETE, H5VL_BLOB_ISNULL, H5VL_BLOB_SETNULL }
        H5VL_get_conn_lvl_t { H5VL_GET_CONN_LVL_CURR, H5VL_GET_CONN_LVL_TERM }
    }
}

/// Every number that C has as a macro.
pub fn constants() -> Vec<(&'static str, String)> {
    constants! {
        H5I_INVALID_HID, H5P_DEFAULT, HADDR_UNDEF, HADDR_MAX, HSIZE_UNDEF, H5_ITER_ERROR, H5_ITER_CONT,
        H5_ITER_STOP, H5O_MAX_TOKEN_SIZE, H5O_INFO_BASIC, H5O_INFO_TIME, H5O_INFO_NUM_ATTRS, H5O_INFO_ALL,
        H5O_NATIVE_INFO_HDR, H5O_NATIVE_INFO_META_SIZE, H5O_NATIVE_INFO_ALL, H5O_COPY_SHALLOW_HIERARCHY_FLAG,
        H5O_COPY_EXPAND_SOFT_LINK_FLAG, H5O_COPY_EXPAND_EXT_LINK_FLAG, H5O_COPY_EXPAND_REFERENCE_FLAG,
        H5O_COPY_WITHOUT_ATTR_FLAG, H5O_COPY_PRESERVE_NULL_FLAG, H5O_COPY_MERGE_COMMITTED_DTYPE_FLAG,
        H5O_COPY_ALL, H5L_SAME_LOC, H5D_CHUNK_DONT_FILTER_PARTIAL_CHUNKS, H5F_ACC_RDONLY, H5F_ACC_RDWR,
        H5F_ACC_TRUNC, H5F_ACC_EXCL, H5F_ACC_CREAT, H5F_ACC_SWMR_WRITE, H5F_ACC_SWMR_READ, H5F_ACC_DEFAULT,
        H5F_OBJ_FILE, H5F_OBJ_DATASET, H5F_OBJ_GROUP, H5F_OBJ_DATATYPE, H5F_OBJ_ATTR, H5F_OBJ_ALL,
        H5F_OBJ_LOCAL, H5F_UNLIMITED, H5F_NUM_METADATA_READ_RETRY_TYPES, H5S_ALL, H5S_BLOCK, H5S_PLIST,
        H5S_UNLIMITED, H5S_MAX_RANK, H5S_SEL_ITER_GET_SEQ_LIST_SORTED, H5S_SEL_ITER_SHARE_WITH_DATASPACE,
        H5T_VARIABLE, H5T_OPAQUE_TAG_MAX, H5R_REF_BUF_SIZE, H5Z_FILTER_ERROR, H5Z_FILTER_NONE, H5Z_FILTER_DEFLATE,
        H5Z_FILTER_SHUFFLE, H5Z_FILTER_FLETCHER32, H5Z_FILTER_SZIP, H5Z_FILTER_NBIT, H5Z_FILTER_SCALEOFFSET,
        H5Z_FILTER_RESERVED, H5Z_FILTER_MAX, H5Z_FILTER_ALL, H5Z_MAX_NFILTERS, H5Z_FLAG_DEFMASK,
        H5Z_FLAG_MANDATORY, H5Z_FLAG_OPTIONAL, H5Z_FLAG_INVMASK, H5Z_FLAG_REVERSE, H5Z_FLAG_SKIP_EDC,
        H5Z_FILTER_CONFIG_ENCODE_ENABLED, H5Z_FILTER_CONFIG_DECODE_ENABLED, H5_SZIP_ALLOW_K13_OPTION_MASK,
        H5_SZIP_CHIP_OPTION_MASK, H5_SZIP_EC_OPTION_MASK, H5_SZIP_NN_OPTION_MASK, H5_SZIP_MAX_PIXELS_PER_BLOCK,
        H5Z_CLASS_T_VERS, H5E_DEFAULT, H5PL_FILTER_PLUGIN, H5PL_VOL_PLUGIN, H5PL_VFD_PLUGIN, H5PL_ALL_PLUGIN,
        H5VL_VERSION, H5_VOL_INVALID, H5_VOL_NATIVE, H5_VOL_RESERVED, H5_VOL_MAX, H5VL_CAP_FLAG_NONE,
        H5VL_CAP_FLAG_THREADSAFE, H5VL_CAP_FLAG_ASYNC, H5VL_CAP_FLAG_NATIVE_FILES, H5VL_CAP_FLAG_ATTR_BASIC,
        H5VL_CAP_FLAG_ATTR_MORE, H5VL_CAP_FLAG_DATASET_BASIC, H5VL_CAP_FLAG_DATASET_MORE,
        H5VL_CAP_FLAG_FILE_BASIC, H5VL_CAP_FLAG_FILE_MORE, H5VL_CAP_FLAG_GROUP_BASIC, H5VL_CAP_FLAG_GROUP_MORE,
        H5VL_CAP_FLAG_LINK_BASIC, H5VL_CAP_FLAG_LINK_MORE, H5VL_CAP_FLAG_MAP_BASIC, H5VL_CAP_FLAG_MAP_MORE,
        H5VL_CAP_FLAG_OBJECT_BASIC, H5VL_CAP_FLAG_OBJECT_MORE, H5VL_CAP_FLAG_REF_BASIC, H5VL_CAP_FLAG_REF_MORE,
        H5VL_CAP_FLAG_OBJ_REF, H5VL_CAP_FLAG_REG_REF, H5VL_CAP_FLAG_ATTR_REF, H5VL_CAP_FLAG_STORED_DATATYPES,
        H5VL_CAP_FLAG_CREATION_ORDER, H5VL_CAP_FLAG_ITERATE, H5VL_CAP_FLAG_STORAGE_SIZE, H5VL_CAP_FLAG_BY_IDX,
        H5VL_CAP_FLAG_GET_PLIST, H5VL_CAP_FLAG_FLUSH_REFRESH, H5VL_CAP_FLAG_EXTERNAL_LINKS,
        H5VL_CAP_FLAG_HARD_LINKS, H5VL_CAP_FLAG_SOFT_LINKS, H5VL_CAP_FLAG_UD_LINKS, H5VL_CAP_FLAG_TRACK_TIMES,
        H5VL_CAP_FLAG_MOUNT, H5VL_CAP_FLAG_FILTERS, H5VL_CAP_FLAG_FILL_VALUES, H5VL_OPT_QUERY_SUPPORTED,
        H5VL_OPT_QUERY_READ_DATA, H5VL_OPT_QUERY_WRITE_DATA, H5VL_OPT_QUERY_QUERY_METADATA,
        H5VL_OPT_QUERY_MODIFY_METADATA, H5VL_OPT_QUERY_COLLECTIVE, H5VL_OPT_QUERY_NO_ASYNC,
        H5VL_OPT_QUERY_MULTI_OBJ, H5VL_NATIVE_VALUE, H5VL_NATIVE_VERSION, H5VL_NATIVE_ATTR_ITERATE_OLD,
        H5VL_NATIVE_DATASET_FORMAT_CONVERT, H5VL_NATIVE_DATASET_GET_CHUNK_INDEX_TYPE,
        H5VL_NATIVE_DATASET_GET_CHUNK_STORAGE_SIZE, H5VL_NATIVE_DATASET_GET_NUM_CHUNKS,
        H5VL_NATIVE_DATASET_GET_CHUNK_INFO_BY_IDX, H5VL_NATIVE_DATASET_GET_CHUNK_INFO_BY_COORD,
        H5VL_NATIVE_DATASET_CHUNK_READ, H5VL_NATIVE_DATASET_CHUNK_WRITE, H5VL_NATIVE_DATASET_GET_VLEN_BUF_SIZE,
        H5VL_NATIVE_DATASET_GET_OFFSET, H5VL_NATIVE_DATASET_CHUNK_ITER, H5VL_NATIVE_FILE_CLEAR_ELINK_CACHE,
        H5VL_NATIVE_FILE_GET_FILE_IMAGE, H5VL_NATIVE_FILE_GET_FREE_SECTIONS, H5VL_NATIVE_FILE_GET_FREE_SPACE,
        H5VL_NATIVE_FILE_GET_INFO, H5VL_NATIVE_FILE_GET_MDC_CONF, H5VL_NATIVE_FILE_GET_MDC_HR,
        H5VL_NATIVE_FILE_GET_MDC_SIZE, H5VL_NATIVE_FILE_GET_SIZE, H5VL_NATIVE_FILE_GET_VFD_HANDLE,
        H5VL_NATIVE_FILE_RESET_MDC_HIT_RATE, H5VL_NATIVE_FILE_SET_MDC_CONFIG,
        H5VL_NATIVE_FILE_GET_METADATA_READ_RETRY_INFO, H5VL_NATIVE_FILE_START_SWMR_WRITE,
        H5VL_NATIVE_FILE_START_MDC_LOGGING, H5VL_NATIVE_FILE_STOP_MDC_LOGGING,
        H5VL_NATIVE_FILE_GET_MDC_LOGGING_STATUS, H5VL_NATIVE_FILE_FORMAT_CONVERT,
        H5VL_NATIVE_FILE_RESET_PAGE_BUFFERING_STATS, H5VL_NATIVE_FILE_GET_PAGE_BUFFERING_STATS,
        H5VL_NATIVE_FILE_GET_MDC_IMAGE_INFO, H5VL_NATIVE_FILE_GET_EOA, H5VL_NATIVE_FILE_INCR_FILESIZE,
        H5VL_NATIVE_FILE_SET_LIBVER_BOUNDS, H5VL_NATIVE_FILE_GET_MIN_DSET_OHDR_FLAG,
        H5VL_NATIVE_FILE_SET_MIN_DSET_OHDR_FLAG, H5VL_NATIVE_FILE_GET_MPI_ATOMICITY,
        H5VL_NATIVE_FILE_SET_MPI_ATOMICITY, H5VL_NATIVE_FILE_POST_OPEN, H5VL_NATIVE_GROUP_ITERATE_OLD,
        H5VL_NATIVE_GROUP_GET_OBJINFO, H5VL_NATIVE_OBJECT_GET_COMMENT, H5VL_NATIVE_OBJECT_SET_COMMENT,
        H5VL_NATIVE_OBJECT_DISABLE_MDC_FLUSHES, H5VL_NATIVE_OBJECT_ENABLE_MDC_FLUSHES,
        H5VL_NATIVE_OBJECT_ARE_MDC_FLUSHES_DISABLED, H5VL_NATIVE_OBJECT_GET_NATIVE_INFO,
        H5VL_CONTAINER_INFO_VERSION, H5VL_MAX_BLOB_ID_SIZE, H5VL_RESERVED_NATIVE_OPTIONAL
    }
}

/// Every string that C has as a macro.
pub fn strings() -> Vec<(&'static str, String)> {
    [("H5PL_NO_PLUGIN", H5PL_NO_PLUGIN), ("H5VL_NATIVE_NAME", H5VL_NATIVE_NAME)]
        .map(|(name, value)| (name, value.to_str().expect("an ASCII string").to_owned()))
        .to_vec()
}
